# An agent in a few lines: it answers with the first line of the file that it is asked for.
#   BELLHOP_TOKEN=… python3 agent.py        (on Debian: apt install python3-websockets)
import asyncio, hashlib, hmac, json, os, sys, uuid
import websockets

URL, TOKEN = os.environ.get("BELLHOP_URL", "ws://127.0.0.1:7070/agents"), os.environ["BELLHOP_TOKEN"]

async def main():
    async with websockets.connect(URL) as socket:
        send = lambda type, **fields: socket.send(json.dumps({"type": type, "id": str(uuid.uuid4()), **fields}))
        await send("hello", protocol="1.1", token=TOKEN)
        async for frame in (json.loads(text) async for text in socket):
            if frame["type"] == "challenge":
                await send("ready", answer=hmac.new(TOKEN.encode(), frame["nonce"].encode(), hashlib.sha256).hexdigest())
            elif frame["type"] == "invoke":
                invoke_id = frame["invoke_id"]
                await send("tool_action", tool="read", args={"path": frame["prompt"]})
            elif frame["type"] == "tool_result" and frame["ok"]:
                await send("invoke_result", invoke_id=invoke_id, result=frame["report"]["output"].split("\n")[0])
            elif frame["type"] == "tool_result":
                await send("invoke_result", invoke_id=invoke_id, error="I cannot read that")
            elif frame["type"] == "error":
                print(frame["code"], frame["message"], file=sys.stderr)

asyncio.run(main())
