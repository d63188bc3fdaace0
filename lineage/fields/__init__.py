"""Canonical fields: what the dialects call by different names, under one."""
