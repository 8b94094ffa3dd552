"""What every part uses: arrays, messages, threads, progress. It imports no other part."""
