"""Logged values as tables and text: pandas, Arrow, CSV, and numbers for JSON."""
