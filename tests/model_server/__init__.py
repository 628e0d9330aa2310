"""A server on loopback that speaks the chat protocol of OpenAI, and misbehaves by script."""

from tests.model_server.server import Behaviour, ModelServer

__all__ = ["Behaviour", "ModelServer"]
