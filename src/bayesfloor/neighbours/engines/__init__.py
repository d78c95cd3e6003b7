"""Engines that find neighbours and sum over their ranks."""
