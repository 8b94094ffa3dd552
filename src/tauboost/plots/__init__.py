"""Pictures of arrays: a low layer, so that results of any part can draw themselves."""
