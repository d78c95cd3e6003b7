"""What every layer may use: errors, arrays, formatting, options, files, progress, executors."""
