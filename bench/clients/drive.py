"""Clients for Python, each behind the same small interface, through the same steps.

python drive.py CLIENT PLAN prints a line of JSON for each step.
"""

import asyncio
import json
import os
import sys
import time
from contextlib import asynccontextmanager


def seen(result):
    is_error = getattr(result, "isError", None)
    if is_error is None:
        is_error = getattr(result, "is_error", False)
    return "\n".join(block.text for block in result.content), bool(is_error)


@asynccontextmanager
async def mcp_1(plan):
    from mcp import ClientSession, StdioServerParameters, types
    from mcp.client.stdio import stdio_client

    parameters = StdioServerParameters(
        command=plan["command"], args=plan["args"], env=plan["env"]
    )
    async with stdio_client(parameters) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()

            class Adapter:
                has_progress = True
                cancels = True

                async def names(self):
                    return [tool.name for tool in (await session.list_tools()).tools]

                async def call(self, name, args, on_progress=None):
                    return seen(
                        await session.call_tool(
                            name, args, progress_callback=on_progress
                        )
                    )

                async def cancelled(self):
                    # Giving up is not told to the server by itself
                    await session.send_notification(
                        types.ClientNotification(
                            types.CancelledNotification(
                                method="notifications/cancelled",
                                params=types.CancelledNotificationParams(
                                    requestId=session._request_id - 1
                                ),
                            )
                        )
                    )

            yield Adapter()


@asynccontextmanager
async def mcp_2(plan):
    from mcp import StdioServerParameters
    from mcp.client import Client

    parameters = StdioServerParameters(
        command=plan["command"], args=plan["args"], env=plan["env"]
    )
    async with Client(parameters) as client:

        class Adapter:
            has_progress = True
            cancels = True

            async def names(self):
                return [tool.name for tool in (await client.list_tools()).tools]

            async def call(self, name, args, on_progress=None):
                return seen(
                    await client.call_tool(name, args, progress_callback=on_progress)
                )

        yield Adapter()


@asynccontextmanager
async def fastmcp(plan):
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    transport = StdioTransport(
        command=plan["command"], args=plan["args"], env=plan["env"], keep_alive=False
    )
    async with Client(transport) as client:

        class Adapter:
            has_progress = True
            cancels = True

            async def names(self):
                return [tool.name for tool in await client.list_tools()]

            async def call(self, name, args, on_progress=None):
                return seen(
                    await client.call_tool(
                        name,
                        args,
                        progress_handler=on_progress,
                        raise_on_error=False,
                    )
                )

        yield Adapter()


@asynccontextmanager
async def langchain(plan):
    from langchain_mcp_adapters.client import MultiServerMCPClient
    from langchain_mcp_adapters.tools import load_mcp_tools

    server = {
        "transport": "stdio",
        "command": plan["command"],
        "args": plan["args"],
        "env": plan["env"],
    }
    client = MultiServerMCPClient({"climax": server})
    async with client.session("climax") as session:
        tools = {tool.name: tool for tool in await load_mcp_tools(session)}

        class Adapter:
            has_progress = False
            cancels = False

            async def names(self):
                return list(tools)

            async def call(self, name, args, on_progress=None):
                call = {"name": name, "args": args, "id": "1", "type": "tool_call"}
                try:
                    message = await tools[name].ainvoke(call)
                except Exception as error:
                    return str(error), True
                text = message.content
                if not isinstance(text, str):
                    text = "\n".join(block["text"] for block in text)
                return text, message.status == "error"

        yield Adapter()


@asynccontextmanager
async def openai_agents(plan):
    from agents.mcp import MCPServerStdio

    parameters = {
        "command": plan["command"],
        "args": plan["args"],
        "env": plan["env"],
    }
    async with MCPServerStdio(
        parameters, client_session_timeout_seconds=30
    ) as server:

        class Adapter:
            has_progress = False
            cancels = False

            async def names(self):
                return [tool.name for tool in await server.list_tools()]

            async def call(self, name, args, on_progress=None):
                return seen(await server.call_tool(name, args))

        yield Adapter()


CLIENTS = {
    "python-1": mcp_1,
    "python-2": mcp_2,
    "fastmcp": fastmcp,
    "langchain": langchain,
    "openai-agents": openai_agents,
}


class Steps:
    def __init__(self, client, plan):
        self.client = client
        self.plan = plan

    async def _call(self, name, args, on_progress=None):
        if self.plan["classic"]:
            return await self.client.call(name, args, on_progress)
        given = {"tool_name": name, "args": args}
        return await self.client.call("climax_call", given, on_progress)

    async def list(self):
        names = await self.client.names()
        meta = ["climax_search", "climax_call"]
        wanted = self.plan["tools"] if self.plan["classic"] else meta
        return sorted(names) == sorted(wanted)

    async def search(self):
        if self.plan["classic"]:
            return None
        text, _ = await self.client.call("climax_search", {"query": "say"})
        results = json.loads(text.split("\n")[0])["results"]
        return results[0]["tool_name"] == "things_say"

    async def call(self):
        text, is_error = await self._call("things_say", {"text": "two words"})
        return text == "two words" and not is_error

    async def error(self):
        text, is_error = await self._call("things_fail", {})
        return "[exit code: 3]" in text and is_error

    async def progress(self):
        if not self.client.has_progress:
            return None
        events = []

        async def on_progress(progress, total, message):
            events.append(progress)

        await self._call("things_count", {}, on_progress)
        return len(events) > 0

    async def cancel(self):
        if not self.client.cancels:
            return None
        file = self.plan["file"]
        task = asyncio.create_task(self._call("things_hold", {"file": file}))
        while not os.path.exists(file) or os.path.getsize(file) == 0:
            await asyncio.sleep(0.05)
        with open(file) as held:
            pid = int(held.read())
        task.cancel()
        await asyncio.wait([task])
        if hasattr(self.client, "cancelled"):
            await self.client.cancelled()
        return task.cancelled() and await is_gone(pid)


async def is_gone(pid):
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        await asyncio.sleep(0.05)
    return False


def tell(step, ok, note=""):
    print(json.dumps({"step": step, "ok": ok, "note": note}), flush=True)


async def main():
    plan = json.loads(sys.argv[2])
    async with CLIENTS[sys.argv[1]](plan) as client:
        steps = Steps(client, plan)
        for step in ("list", "search", "call", "error", "progress", "cancel"):
            try:
                tell(step, await getattr(steps, step)())
            except Exception as error:
                tell(step, False, repr(error))
        before = time.monotonic()
    tell("shutdown", True, f"{round(1000 * (time.monotonic() - before))} ms")


asyncio.run(main())
