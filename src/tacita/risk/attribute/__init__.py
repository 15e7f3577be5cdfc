"""Attribute disclosure: does looking alike already tell the sensitive value?"""
