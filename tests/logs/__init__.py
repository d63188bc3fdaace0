"""Tests of the log readers, each run on the native scanner and on its Python twin."""
