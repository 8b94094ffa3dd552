"""The pool of Dask actors that holds the rows: idempotent calls, request batching, lost parts.

A part is a Dask actor built by a task from the tasks that load its rows, so Dask's own lineage can
build it again, on another worker. The pool adds what actors lack: a watch on workers that no longer
answer, and the calls that bring a rebuilt part to the state of the lost one.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np
from distributed import Client, Future
from distributed.protocol import ToPickle
from distributed.scheduler import KilledWorker

from ..base.arrays import readable
from ..base.threads import side_by_side

__all__ = [
    "ActorPool",
    "IdempotentActor",
    "Member",
    "PartLostError",
    "Patience",
    "RequestBatcher",
    "n_bytes",
    "received",
]


# What driver and parts send each other: numbers and arrays, also in lists and in data classes.


def n_bytes(message: Any) -> int:
    """Return the bytes of all arrays in a message, and eight for everything else."""
    if isinstance(message, np.ndarray):
        return int(message.nbytes)
    if isinstance(message, list | tuple):
        return sum(n_bytes(value) for value in message)
    if is_dataclass(message):
        return sum(n_bytes(getattr(message, field.name)) for field in fields(message))
    return 8


def received(message: Any) -> Any:
    """Return a message with arrays that kernels can read.

    An array arrives as a piece of what came over the line, and begins wherever that happens to be.
    """
    if isinstance(message, np.ndarray):
        return message if message.flags.aligned else readable(message)
    if type(message) in {list, tuple}:
        return type(message)(received(value) for value in message)
    if is_dataclass(message) and not isinstance(message, type):
        values = {field.name: getattr(message, field.name) for field in fields(message)}
        misaligned = {
            name: received(value)
            for name, value in values.items()
            if isinstance(value, np.ndarray) and not value.flags.aligned
        }
        return replace(message, **misaligned) if misaligned else message
    return message


# How a broken line, a closed worker and an actor that is not there any more show themselves.
LOST = (OSError, KeyError, TimeoutError, asyncio.TimeoutError)
LOST_STATES = {"error", "lost", "cancelled"}
# How long a call is waited for between checks that its part is still there.
CHECK_INTERVAL = 0.25


class PartLostError(RuntimeError):
    """A part of the data was lost with its worker and could not be built again.

    Examples
    --------
    >>> import tauboost.dask
    >>> issubclass(tauboost.dask.PartLostError, RuntimeError)  # as in: except PartLostError
    True
    """


class MuteWorkerError(OSError):
    """A worker does not answer, though nobody has closed it."""


class PartError(Exception):
    """What a part raised while it carried out a call: a fault of the call, not of the cluster.

    Examples
    --------
    >>> import tauboost.dask
    >>> issubclass(tauboost.dask.PartError, RuntimeError)  # a lost part is another matter
    False
    """


@dataclass(frozen=True)
class Patience:
    """How long to wait for what, in seconds.

    Attributes
    ----------
    silence : float
        Without an answer, before a worker is asked whether it is alive.
    pulse : float
        For the answer to that, before it is given up.
    workers : float
        For a worker to turn up when there is none.
    rebuilds : int
        How often one part is built again in one round.

    Examples
    --------
    >>> import tauboost.dask
    >>> tauboost.dask.Patience(pulse=120)  # tasks that hold Python's lock for a minute
    Patience(silence=5.0, pulse=120, workers=60.0, rebuilds=8)
    """

    silence: float = 5.0
    pulse: float = 30.0
    workers: float = 60.0
    rebuilds: int = 8


@dataclass
class Member:
    """One part: the task that builds its actor, and where that is now."""

    index: int
    future: Future
    share: float  # of its sample weights in those of all parts
    address: str = ""
    is_placed: bool = True  # whether it is where the others are


class ActorPool:
    """All parts of a problem, called together."""

    def __init__(self, client: Client, patience: Patience | None = None) -> None:
        self.client = client
        self.patience = patience or Patience()
        self.members: list[Member] = []
        self.done = 0  # rounds that every part has carried out
        self.bytes = 0  # of arrays, both ways, so far
        self.rebuilt = 0
        self._is_in_step = True
        # Puts a new part where the lost one was; what that takes depends on who uses the pool.
        self.replay: Callable[[Member], Iterable[tuple[str, tuple[Any, ...]]]] = lambda _: ()

    def assemble(self, futures: Sequence[Future], shares: Sequence[float]) -> None:
        """Wait until the actors are built."""
        self.members = [
            Member(k, future, share)
            for k, (future, share) in enumerate(zip(futures, shares, strict=True))
        ]
        self._sync(self._each, self._find)

    def wait(self, futures: Sequence[Future]) -> list[Any]:
        """Return the results of tasks, giving up workers that fall silent meanwhile."""
        return list(self._sync(self._results, list(futures)))

    def ask(self, name: str, *arguments: Any, is_brief: bool = False) -> list[Any]:
        """Have every part carry out one idempotent call; return the answers in the order of parts.

        A brief one keeps the worker from nothing else that matters: it is carried out where it
        arrives, and not handed to a thread and back, which takes longer than a small kernel.
        """
        if (
            not self._is_in_step
        ):  # the last round was interrupted: some parts may have carried it out
            self._sync(self._each, self._put_in_place)
        self._is_in_step = False
        call = ("carry_out", self.done + 1, name, *arguments)
        answers = self._sync(
            self._each, lambda member: self._safely(member, *call, is_brief=is_brief)
        )
        self._is_in_step = True
        self.done += 1
        self.bytes += len(self.members) * n_bytes(arguments) + n_bytes(answers)
        return list(answers)

    def tell_each(self, name: str, arguments: Callable[[Member], tuple[Any, ...]]) -> list[Any]:
        """Call something that does no harm if it is done twice, with arguments for each part."""
        return list(
            self._sync(self._each, lambda member: self._safely(member, name, *arguments(member)))
        )

    def _sync(self, function: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
        if self.client.status != "running":
            raise RuntimeError(f"the Dask client is {self.client.status}: it must be connected")
        return self.client.sync(function, *arguments)

    async def _each(self, function: Callable[[Member], Awaitable[Any]]) -> list[Any]:
        tasks = [asyncio.ensure_future(function(member)) for member in self.members]
        try:
            return await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()

    async def _safely(
        self, member: Member, name: str, *arguments: Any, is_brief: bool = False
    ) -> Any:
        """Call, building the part again as often as it takes."""
        for _ in range(self.patience.rebuilds):
            try:
                if not member.is_placed:
                    await self._put_in_place(member)
                return await self._call(member, name, *arguments, is_brief=is_brief)
            except LOST as error:
                if await self._is_lost(member, is_mute=isinstance(error, MuteWorkerError)):
                    await self._rebuild(member)
        raise PartLostError(
            f"part {member.index} of {len(self.members)} was lost {self.patience.rebuilds} times "
            "in one round: do its workers have enough memory?"
        )

    async def _call(
        self, member: Member, name: str, *arguments: Any, is_brief: bool = False
    ) -> Any:
        """Call a method of the actor, as distributed.actor does, and watch over its worker."""
        call = asyncio.ensure_future(
            self.client.rpc(member.address).actor_execute(
                actor=member.future.key,
                function="answer",
                args=[ToPickle((name, *arguments))],  # one object takes a fraction of the time
                kwargs={"separate_thread": not is_brief},
            )
        )
        heard = time.monotonic()
        try:
            while not (await asyncio.wait({call}, timeout=CHECK_INTERVAL))[0]:
                if member.future.status in LOST_STATES:
                    raise OSError(f"worker {member.address} is lost")
                if time.monotonic() - heard > self.patience.silence:
                    if not await self._is_alive(member.address):
                        raise MuteWorkerError(f"worker {member.address} does not answer")
                    heard = time.monotonic()
            answer = call.result()
        finally:
            call.cancel()
        if answer["status"] != "OK":
            error = answer["exception"]
            if "new futures after" in str(error):  # what an executor says on a closing worker
                raise OSError(f"worker {member.address} is closing")
            raise PartError(error)
        return received(answer["result"])

    async def _is_alive(self, address: str) -> bool:
        try:
            await asyncio.wait_for(self.client.rpc(address).identity(), self.patience.pulse)
        except LOST:
            return False
        return True

    async def _is_lost(self, member: Member, *, is_mute: bool) -> bool:
        """Find out whether a part is gone, or only the line to it; a mute worker is given up."""
        begin = time.monotonic()
        while member.future.status not in LOST_STATES:
            waited = time.monotonic() - begin
            if is_mute or (waited > 2.0 and not await self._is_alive(member.address)):
                await self._give_up(member.address)
            elif waited > 2.0:
                return False
            if waited > self.patience.workers:
                raise PartLostError(f"the scheduler holds on to worker {member.address}")
            await asyncio.sleep(0.05)
        return True

    async def _give_up(self, address: str) -> None:
        await self.client.scheduler.unregister(
            address=address, stimulus_id=f"tauboost-mute-worker-{time.time()}"
        )

    async def _rebuild(self, member: Member) -> None:
        """Have Dask build the part again from the tasks that load it."""
        member.is_placed = False
        self.rebuilt += 1
        await self._retry([member.future])
        await self._find(member)

    async def _put_in_place(self, member: Member) -> None:
        for name, arguments in self.replay(member):
            await self._call(member, name, *arguments)
        member.is_placed = True

    async def _find(self, member: Member) -> None:
        """Wait until the actor is built, wherever that is."""
        try:
            [actor] = await self._results([member.future])
        except (Exception, asyncio.CancelledError) as error:
            raise self._reason(member, error) from error
        member.address = actor._address

    def _reason(self, member: Member, error: BaseException) -> BaseException:
        """Say why a part cannot be built: bad data when it is first built, a loss afterwards."""
        if isinstance(error, PartLostError) or (self.rebuilt == 0 and isinstance(error, Exception)):
            return error
        reason = (
            str(error)
            or "Dask no longer knows how: was its data scattered, or the client restarted?"
        )
        return PartLostError(
            f"part {member.index} of {len(self.members)} was lost with its worker and cannot be "
            f"built again: {reason}"
        )

    async def _results(self, futures: list[Future]) -> list[Any]:
        """Wait for tasks; those that workers died of, or with, are carried out again."""
        for _ in range(self.patience.rebuilds):
            await self._end_of(futures)
            try:
                return list(await self.client.gather(futures, asynchronous=True))
            except Exception as error:
                if not _is_loss_of_workers(error):
                    raise
            await self._retry(futures)
        raise PartLostError(
            f"workers were lost {self.patience.rebuilds} times while they built parts: do they "
            "have enough memory?"
        )

    async def _end_of(self, futures: list[Future]) -> None:
        watch = asyncio.ensure_future(self._give_up_mute_workers())
        try:
            while not all(future.done() for future in futures):
                if watch.done():
                    watch.result()
                await asyncio.sleep(0.01)
        finally:
            watch.cancel()
        if any(future.status in {"cancelled", "lost"} for future in futures):
            raise asyncio.CancelledError

    async def _retry(self, futures: list[Future]) -> None:
        """Do as Client.retry, which forgets what a task has come to before it marks it as pending.

        It also expects to know the tasks that others depend on.
        """
        failed = [future.key for future in futures if future.status == "error"]
        for key in failed:
            self.client.futures[key].retry()
        await self.client.scheduler.retry(keys=failed, client=self.client.id)

    async def _give_up_mute_workers(self) -> None:
        """While tasks run: workers that hold them must answer, and there must be workers."""
        last_seen = time.monotonic()
        while True:
            await asyncio.sleep(self.patience.silence)
            busy = await self.client.scheduler.processing(workers=None)
            if busy:
                last_seen = time.monotonic()
            elif time.monotonic() - last_seen > self.patience.workers:
                waited = f"{self.patience.workers:g} s"
                raise PartLostError(
                    f"no worker has been there for {waited}, and parts wait for one"
                )
            held = [address for address, keys in busy.items() if keys]
            found = await asyncio.gather(*(self._is_alive(address) for address in held))
            for address, is_alive in zip(held, found, strict=True):
                if not is_alive:
                    await self._give_up(address)


def _is_loss_of_workers(error: Exception) -> bool:
    """Return True if a task failed because workers died; Dask blames it after a few of them."""
    return isinstance(error, KilledWorker) or "Actor was lost" in str(error)


# Idempotent calls of the driver to an actor: each is carried out once.
#
# Calls are numbered: a call that arrives twice is answered again but carried out once, and a call
# that does not follow the last one is refused, so that no step is ever lost or applied twice.


class IdempotentActor:
    """An actor that an :class:`ActorPool` calls."""

    def __init__(self) -> None:
        self.number = -1
        self.last_answer: Any = None

    def answer(self, call: tuple[Any, ...]) -> Any:
        """Answer one call of the driver: the name of a method, and its arguments."""
        name, *arguments = received(call)
        return getattr(self, name)(*arguments)

    def carry_out(self, number: int, name: str, *arguments: Any) -> Any:
        """Carry out one numbered call, or repeat the answer to the last one."""
        if number != self.number:
            if number != self.number + 1:
                raise RuntimeError(f"a part is at round {self.number} and was asked for {number}")
            self.last_answer = getattr(self, name)(*arguments)
            self.number = number
        return self.last_answer

    def all_of(self, calls: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Answer several calls at once."""
        return [self.answer(call) for call in calls]

    def rest(self, seconds: float) -> None:
        """Do nothing for a while: what the round cost and the watch are measured with."""
        time.sleep(seconds)


# Request batching for fits side by side: one round of messages serves all of them.
#
# Every fit has a thread. A call waits until every other fit has a call as well; then all go out
# in one message to each part, and every fit gets its own answers.


T = TypeVar("T")
# What a part may go through in the thread that answers everybody, a few milliseconds: numbers.
BRIEF_WORK = 2**20


class Request:
    """One call and its answers."""

    def __init__(self, call: tuple[Any, ...], work: int) -> None:
        self.call, self.work = call, work
        self.answers: list[Any] | None = None


class RequestBatcher:
    """Batches the requests of fits side by side; outside of ``run`` it calls the pool directly."""

    def __init__(self, pool: ActorPool) -> None:
        self.pool = pool
        self.turn = threading.Condition()
        self.n_fits = 0  # that are under way
        self.waiting: list[Request] = []
        self.is_sending = False
        self.error: BaseException | None = None

    def ask(self, *call: Any, work: int = BRIEF_WORK) -> list[Any]:
        """Have every part carry out a call; ``work`` is how much a part goes through for it."""
        if self.n_fits == 0:
            return self.pool.ask(*call, is_brief=work < BRIEF_WORK)
        request = Request(call, work)
        with self.turn:
            self.waiting.append(request)
            while request.answers is None:
                if self.error is not None:
                    raise RuntimeError("another fit has failed") from self.error
                if self.is_sending or len(self.waiting) < self.n_fits:
                    self.turn.wait()
                else:
                    self._send()
        return request.answers

    def run(self, fit: Callable[[T, int], None], jobs: Sequence[T]) -> None:
        """Carry out fits side by side."""
        self.error, self.waiting = None, []

        def work(job: T) -> None:
            with self._counted():
                fit(job, 1)

        try:
            side_by_side(work, jobs, len(jobs))
        except BaseException:
            if self.error is not None:  # the first of them: others ended because of it
                raise self.error from None
            raise

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self.turn:
            self.n_fits += 1
        try:
            yield
        except BaseException as error:
            self.error = self.error or error
            raise
        finally:
            with self.turn:
                self.n_fits -= 1
                self.turn.notify_all()

    def _send(self) -> None:
        """Send the requests of all fits as one; meanwhile others may join them."""
        requests, self.waiting, self.is_sending = self.waiting, [], True
        is_brief = sum(request.work for request in requests) < BRIEF_WORK
        self.turn.release()
        try:
            calls = [request.call for request in requests]
            replies = self.pool.ask("all_of", calls, is_brief=is_brief)
        except BaseException as error:
            self.error = error
            raise
        finally:
            self.turn.acquire()
            self.is_sending = False
            self.turn.notify_all()
        for k, request in enumerate(requests):
            request.answers = [reply[k] for reply in replies]
