"""What reports are made of: escaped markup, tables, charts as inline SVG, and a page that needs nothing but itself.

Nothing here knows what is reported. Altair and vl-convert are known in this room only.
"""
