"""Play a script in its world: real calls, a transcript of Responses items, turns with times."""

import random
from dataclasses import dataclass, field
from typing import Any

from examples.theatre.dice import dice, token
from examples.theatre.script import TURN_LIMIT, Ending, Move, Script, count_tokens
from examples.theatre.tasks import Item, Task
from examples.theatre.tools import Reply, arguments_text

TIME_LIMIT = 600.0
TOKENS_PER_SECOND = 60
SHARE_OF_THOUGHTS_SHOWN = 0.6
LONG_THOUGHT = 400


@dataclass(slots=True)
class Turn:
    """One model call and the tool call that came of it. Times are seconds from the start."""

    began: float
    seconds: float
    first_item: int
    items: int
    prompt_tokens: int
    completion_tokens: int
    reasoning_tokens: int
    tool: str | None = None
    call_id: str | None = None
    tool_seconds: float = 0.0
    tool_status: str = "completed"


@dataclass(slots=True)
class Performance:
    """A script as it was played.

    `last_message` is the text of the closing message, None where the agent got to say none.
    `struck_at` is the item at which the fault shows first.
    """

    script: Script
    key: str
    state: Any
    last_message: str | None = None
    output: list[Item] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    elapsed: float = 0.0
    struck_at: int | None = None


def perform(script: Script, task: Task, key: str) -> Performance:
    """Play a script from the task's start. `key` names the rollout and decides ids and times."""
    return _Stage(script, task, key).play()


class _Stage:
    """The state of one play: what was said so far, and how late it is."""

    def __init__(self, script: Script, task: Task, key: str) -> None:
        self._played = Performance(script, key, task.setting.begin(), task.last_message(script))
        self._vocabulary = task.vocabulary
        self._counter = task.counter()
        self._stream: random.Random = dice(key, "stage")
        asked = sum(count_tokens(item) for item in task.request())
        self._context = task.tool_tokens() + asked

    def play(self) -> Performance:
        script, played = self._played.script, self._played
        for move in script.moves[:TURN_LIMIT]:
            self._take_turn(move)
        if script.closing is not None or script.thinking is not None:
            self._close(script)
        if script.ending is Ending.TIME_LIMIT:
            played.elapsed = TIME_LIMIT + round(self._stream.random(), 3)
        if script.ending is Ending.BROKEN_OFF and played.struck_at is None and played.output:
            played.struck_at = len(played.output) - 1
        return played

    def _take_turn(self, move: Move) -> None:
        first = len(self._played.output)
        if self._shows_thought(move):
            self._played.output.append(self._reasoning(move.thought))
        if move.says is not None:
            self._played.output.append(self._message(move.says))
        call = self._call(move)
        self._played.output.append(call)
        turn = self._end_model_call(first)
        turn.tool, turn.call_id = call["name"], call["call_id"]
        self._answer_call(move, turn)

    def _answer_call(self, move: Move, turn: Turn) -> None:
        output = self._played.output
        if move.struck and self._played.struck_at is None:
            # What the surroundings did is seen in their words; what the model did, in its call.
            self._played.struck_at = len(output) if move.reply else len(output) - 1
        if move.reply == "":
            turn.tool_status = "timeout"
            return
        reply = self._reply(move)
        turn.tool_status = "failed" if reply.failed else "completed"
        pause = self._stream.uniform(5.0, 20.0) if move.reply else self._stream.uniform(0.02, 0.4)
        turn.tool_seconds = round(pause, 3)
        output.append(_call_output(turn.call_id or "", reply.text))
        self._context += count_tokens(reply.text)
        self._played.elapsed = round(self._played.elapsed + turn.tool_seconds, 3)

    def _reply(self, move: Move) -> Reply:
        if move.reply:
            return Reply(move.reply, failed=True)
        reply = self._counter.answer(self._played.state, move.tool, move.arguments, move.raw)
        return Reply(f"{move.note}{reply.text}", reply.failed) if move.note else reply

    def _close(self, script: Script) -> None:
        first = len(self._played.output)
        if script.thinking is not None:
            self._played.output.append(self._reasoning(script.thinking))
        if script.closing is not None:
            message = self._message(self._played.last_message or "")
            if script.ending is Ending.TOKEN_LIMIT:
                message["status"] = "incomplete"
            self._played.output.append(message)
        if script.closing_struck and self._played.struck_at is None:
            self._played.struck_at = len(self._played.output) - 1
        self._end_model_call(first)

    def _end_model_call(self, first: int) -> Turn:
        played = self._played
        items = played.output[first:]
        completion = sum(_item_tokens(item) for item in items)
        thinking = sum(_item_tokens(item) for item in items if item["type"] == "reasoning")
        seconds = round(0.4 + completion / TOKENS_PER_SECOND + self._stream.random(), 3)
        turn = Turn(
            began=played.elapsed,
            seconds=seconds,
            first_item=first,
            items=len(items),
            prompt_tokens=self._context,
            completion_tokens=completion,
            reasoning_tokens=thinking,
        )
        played.turns.append(turn)
        played.elapsed = round(played.elapsed + seconds, 3)
        self._context += completion
        return turn

    def _shows_thought(self, move: Move) -> bool:
        drawn = self._stream.random() < SHARE_OF_THOUGHTS_SHOWN
        return drawn or len(move.thought) > LONG_THOUGHT

    def _id(self, prefix: str) -> str:
        return f"{prefix}_{token(self._played.key, len(self._played.output))}"

    def _reasoning(self, thought: str) -> Item:
        summary = [{"type": "summary_text", "text": thought}]
        return {
            "id": self._id("rs"),
            "summary": summary,
            "type": "reasoning",
            "encrypted_content": None,
        }

    def _message(self, text: str) -> Item:
        part: Item = {"annotations": [], "text": text, "type": "output_text", "logprobs": None}
        return {
            "id": self._id("msg"),
            "content": text if self._vocabulary.plain else [part],
            "role": "assistant",
            "status": "completed",
            "type": "message",
        }

    def _call(self, move: Move) -> Item:
        return {
            "arguments": arguments_text(self._vocabulary.arguments(move.tool, move.arguments), move.raw),
            "call_id": self._id("call"),
            "name": self._vocabulary.tool(move.tool),
            "type": "function_call",
            "id": self._id("fc"),
            "status": "completed",
        }


def _call_output(call_id: str, text: str) -> Item:
    return {
        "call_id": call_id,
        "output": text,
        "type": "function_call_output",
        "id": None,
        "status": None,
    }


def text_of(message: Item) -> str:
    """Return the text of a message, whichever way it is written."""
    content = message["content"]
    return content if isinstance(content, str) else content[0]["text"]


def _item_tokens(item: Item) -> int:
    if item["type"] == "reasoning":
        return count_tokens(item["summary"][0]["text"])
    if item["type"] == "message":
        return count_tokens(text_of(item))
    return count_tokens(item["name"]) + count_tokens(item["arguments"])
