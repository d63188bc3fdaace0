"""Query language of the lineage tables: lexer, parser, conditions, completion."""
