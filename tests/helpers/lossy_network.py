"""A network in user space that is slow and loses packets: tun devices, and a process between them.

    python lossy_network.py 0.01 0.01 10.213.7.254=tb0 10.213.7.1=tb1 ...

makes a device for every address and passes packets on after a delay, in seconds, all but a share of
them. What `tc netem` does, on kernels that have none.
"""

from __future__ import annotations

import fcntl
import heapq
import os
import random
import select
import socket
import struct
import sys
import time

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
LARGEST_PACKET = 65536


def open_tun(name: str) -> int:
    descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    request = struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI)
    fcntl.ioctl(descriptor, TUNSETIFF, request)
    return descriptor


def forward(devices: dict[bytes, int], delay: float, loss: float) -> None:
    waiting: list[tuple[float, int, bytes]] = []
    count = 0
    while True:
        patience = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
        for descriptor in select.select(list(devices.values()), [], [], patience)[0]:
            try:
                packet = os.read(descriptor, LARGEST_PACKET)
            except OSError:  # its device is down
                continue
            if random.random() >= loss:
                count += 1
                heapq.heappush(waiting, (time.monotonic() + delay, count, packet))
        while waiting and waiting[0][0] <= time.monotonic():
            packet = heapq.heappop(waiting)[2]
            target = devices.get(packet[16:20])  # where an IPv4 header says it goes
            if packet[0] >> 4 == 4 and target is not None:
                try:
                    os.write(target, packet)
                except OSError:
                    continue


if __name__ == "__main__":
    pairs = [argument.split("=") for argument in sys.argv[3:]]
    tuns = {socket.inet_aton(address): open_tun(name) for address, name in pairs}
    print("ready", flush=True)  # noqa: T201
    forward(tuns, float(sys.argv[1]), float(sys.argv[2]))
