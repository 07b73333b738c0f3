# SPDX-License-Identifier: GPL-3.0-or-later
"""CRC-32C (Castagnoli) of bytes, with PyTorch's speed for long ones.

Long contents are cut into lanes that are walked side by side. The checksum is linear, so lanes are
put together by multiplying with the matrix that appends a lane's length in zero bytes.
"""
import torch

POLYNOMIAL = 0x82F63B78
LANES = 512


def made_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (POLYNOMIAL if value & 1 else 0)
        table.append(value)
    return table


TABLE = made_table()


def walked(register, content):
    for byte in content:
        register = register >> 8 ^ TABLE[(register ^ byte) & 255]
    return register


def times(matrix, vector):
    """A matrix over GF(2), as the images of the 32 bits."""
    result = 0
    for bit in range(32):
        if vector >> bit & 1:
            result ^= matrix[bit]
    return result


def appending_zeros(count):
    """The matrix of `count` zero bytes, by squaring."""
    power = [walked(1 << bit, b"\0") for bit in range(32)]
    result = [1 << bit for bit in range(32)]
    while count:
        if count & 1:
            result = [times(power, column) for column in result]
        power = [times(power, column) for column in power]
        count >>= 1
    return result


def lanes_of(content, length):
    """The registers of LANES pieces of `length` bytes, each begun with 0."""
    table = torch.tensor(TABLE)
    pieces = torch.frombuffer(bytearray(content), dtype=torch.uint8).view(LANES, length).t().long()
    registers = torch.zeros(LANES, dtype=torch.long)
    for column in pieces:
        registers = registers >> 8 ^ table[(registers ^ column) & 255]
    return registers.tolist()


def crc32c(content):
    register = 0xFFFFFFFF
    length = len(content) // LANES
    if length >= 16:
        zeros = appending_zeros(length)
        for lane in lanes_of(content[:LANES * length], length):
            register = times(zeros, register) ^ lane
        content = content[LANES * length:]
    return walked(register, content) ^ 0xFFFFFFFF
