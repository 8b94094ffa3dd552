"""The driver's line to the parts: numbered rounds over Dask actors, and what if one is lost.

A part is a Dask actor built by a task from the tasks that load its rows, so Dask's own lineage can
build it again, on another worker. The line adds what actors lack: a watch on workers that no longer
answer, and the way back to where the lost part was.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from distributed import Client, Future
from distributed.protocol import to_serialize

__all__ = ["Crew", "Member", "PartLostError", "Patience"]

# How a broken line, a closed worker and an actor that is not there any more show themselves.
LOST = (OSError, KeyError, TimeoutError, asyncio.TimeoutError)
LOST_STATES = {"error", "lost", "cancelled"}


class PartLostError(RuntimeError):
    """A part of the data was lost with its worker and could not be built again."""


@dataclass(frozen=True)
class Patience:
    """How long to wait for what, in seconds."""

    silence: float = 10.0  # without an answer, before a worker is asked whether it is alive
    pulse: float = 10.0  # for the answer to that, before it is given up
    workers: float = 60.0  # for a worker to turn up when there is none
    rebuilds: int = 8  # of one part in one round


@dataclass
class Member:
    """One part: the task that builds its actor, and where that is now."""

    index: int
    future: Future
    share: float  # of its sample weights in those of all parts
    address: str = ""


class Crew:
    """All parts of a problem, asked together."""

    def __init__(self, client: Client, patience: Patience | None = None) -> None:
        self.client = client
        self.patience = patience or Patience()
        self.members: list[Member] = []
        self.done = 0  # rounds that every part has carried out
        self.bytes = 0  # of arrays, both ways, so far
        self.rebuilt = 0
        # Puts a new part where the lost one was; what that takes depends on who uses the crew.
        self.replay: Callable[[Member], Iterable[tuple[str, tuple[Any, ...]]]] = lambda _: ()

    def assemble(self, futures: Sequence[Future], shares: Sequence[float]) -> None:
        """Wait until the actors are built."""
        self.members = [
            Member(k, future, share)
            for k, (future, share) in enumerate(zip(futures, shares, strict=True))
        ]
        self._sync(self._gathered, self._find)

    def wait(self, futures: Sequence[Future]) -> list[Any]:
        """Return the results of tasks, giving up workers that fall silent meanwhile."""
        return list(self._sync(self._results, list(futures)))

    def ask(self, name: str, *arguments: Any) -> list[Any]:
        """Have every part carry out one numbered call; return the answers in the order of parts."""
        answers = self._sync(self._round, self.done + 1, name, arguments)
        self.done += 1
        self.bytes += len(self.members) * _n_bytes(arguments) + _n_bytes(answers)
        return list(answers)

    def tell_each(self, name: str, arguments: Callable[[Member], tuple[Any, ...]]) -> list[Any]:
        """Call something that does no harm if it is done twice, with arguments for each part."""

        async def tell(member: Member) -> Any:
            return await self._safely(member, name, *arguments(member))

        return list(self._sync(self._gathered, tell))

    def _sync(self, function: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
        if self.client.status != "running":
            raise RuntimeError(f"the Dask client is {self.client.status}: it must be connected")
        return self.client.sync(function, *arguments)

    async def _gathered(self, function: Callable[[Member], Awaitable[Any]]) -> list[Any]:
        tasks = [asyncio.ensure_future(function(member)) for member in self.members]
        try:
            return await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()

    async def _round(self, number: int, name: str, arguments: tuple[Any, ...]) -> list[Any]:
        async def one(member: Member) -> Any:
            return await self._safely(member, "carry_out", number, name, *arguments)

        return await self._gathered(one)

    async def _safely(self, member: Member, name: str, *arguments: Any) -> Any:
        """Call, building the part again as often as it takes."""
        for _ in range(self.patience.rebuilds):
            try:
                return await self._call(member, name, *arguments)
            except LOST:
                await self._recover(member)
        raise PartLostError(
            f"part {member.index} of {len(self.members)} was lost {self.patience.rebuilds} times "
            "in one round: do its workers have enough memory?"
        )

    async def _call(self, member: Member, name: str, *arguments: Any) -> Any:
        """Call a method of the actor, as distributed.actor does, and watch over its worker."""
        call = asyncio.ensure_future(
            self.client.rpc(member.address).actor_execute(
                actor=member.future.key,
                function=name,
                args=[to_serialize(argument) for argument in arguments],
                kwargs={},
            )
        )
        try:
            while not (await asyncio.wait({call}, timeout=self.patience.silence))[0]:
                if not await self._is_alive(member.address):
                    raise TimeoutError(f"worker {member.address} does not answer")
            answer = call.result()
        finally:
            call.cancel()
        if answer["status"] != "OK":
            raise answer["exception"]
        return answer["result"]

    async def _is_alive(self, address: str) -> bool:
        try:
            await asyncio.wait_for(self.client.rpc(address).identity(), self.patience.pulse)
        except LOST:
            return False
        return True

    async def _recover(self, member: Member) -> None:
        """Bring a part back to where it was, unless only the line to it broke."""
        if not await self._is_lost(member):
            return
        await self.client.retry([member.future], asynchronous=True)
        await self._find(member)
        self.rebuilt += 1
        try:
            for name, arguments in self.replay(member):
                await self._call(member, name, *arguments)
        except LOST:
            return  # lost again: the next call will notice

    async def _is_lost(self, member: Member) -> bool:
        """Find out whether the worker is gone; one that is there but mute is given up."""
        for _ in range(20):
            if member.future.status in LOST_STATES:
                return True
            await asyncio.sleep(0.1)
        if await self._is_alive(member.address):
            return False
        await self._give_up(member.address)
        while member.future.status not in LOST_STATES:
            await asyncio.sleep(0.05)
        return True

    async def _give_up(self, address: str) -> None:
        await self.client.scheduler.unregister(
            address=address, stimulus_id=f"tauboost-mute-worker-{time.time()}"
        )

    async def _find(self, member: Member) -> None:
        """Wait until the actor is built, wherever that is."""
        for _ in range(self.patience.rebuilds):
            try:
                actor = (await self._results([member.future]))[0]
            except PartLostError:
                raise
            except Exception as error:
                if not _is_actor_loss(error):
                    raise
                await self.client.retry([member.future], asynchronous=True)
            else:
                member.address = actor._address
                return
        raise PartLostError(f"part {member.index}: its worker is lost whenever it is built")

    async def _results(self, futures: list[Future]) -> list[Any]:
        watch = asyncio.ensure_future(self._give_up_mute_workers())
        try:
            while not all(future.done() for future in futures):
                if watch.done():
                    watch.result()
                await asyncio.sleep(0.01)
        finally:
            watch.cancel()
        return list(await self.client.gather(futures, asynchronous=True))

    async def _give_up_mute_workers(self) -> None:
        """While tasks run: workers that hold them must answer, and there must be workers."""
        last_seen = time.monotonic()
        while True:
            await asyncio.sleep(self.patience.silence)
            busy = await self.client.scheduler.processing(workers=None)
            if busy:
                last_seen = time.monotonic()
            elif time.monotonic() - last_seen > self.patience.workers:
                raise PartLostError(
                    f"no worker has been there for {self.patience.workers:g} s, and parts wait for one"
                )
            held = [address for address, keys in busy.items() if keys]
            pulses = await asyncio.gather(*(self._is_alive(address) for address in held))
            for address, is_alive in zip(held, pulses, strict=True):
                if not is_alive:
                    await self._give_up(address)


def _is_actor_loss(error: BaseException) -> bool:
    return isinstance(error, RuntimeError) and "Actor was lost" in str(error)


def _n_bytes(values: Any) -> int:
    if isinstance(values, np.ndarray):
        return int(values.nbytes)
    if isinstance(values, list | tuple):
        return sum(_n_bytes(value) for value in values)
    if hasattr(values, "__dataclass_fields__"):
        return sum(_n_bytes(getattr(values, name)) for name in values.__dataclass_fields__)
    return 8
