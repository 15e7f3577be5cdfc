"""OpenID Connect: tokens of an issuer are taken beside those of Tacita, and people sign in there for the pages.

`settings_file` says which issuer, `fetching` speaks to it, `provider` has its keys, `verification` judges a token,
`identity` makes a name and a role of its claims, `flow` is the way of a browser to the issuer and back. Signatures are
checked by joserfc, which is imported in `verification` alone: authlib hands its own part over to it, it takes no
algorithm that it is not told, and it needs nothing but cryptography. The rest of authlib would bring an HTTP client and
sessions of its own for two requests.
"""
