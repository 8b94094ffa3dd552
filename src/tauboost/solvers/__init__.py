"""The engine: exact coordinate steps, Newton, certificates, the one loop of all fits."""
