# SPDX-License-Identifier: GPL-3.0-or-later
"""Small models that compute attention in every way that is common, and the maps that they have."""
import torch
from torch import nn
from torch.nn import functional as F

dot_product = getattr(F, "scaled_dot_product_attention", None) or getattr(
    F, "_scaled_dot_product_attention")


def fused(query, key, value, **options):
    result = dot_product(query, key, value, **options)
    return result[0] if isinstance(result, tuple) else result  # torch 1.13 returns a pair


class Attention(nn.Module):
    """`kind`: eager, fused, gated (as ConViT), talking (as CaiT) or einsum. Its maps are in `seen`,
    computed by the formula alone."""

    def __init__(self, width, heads, kind):
        super().__init__()
        self.heads, self.kind, self.seen = heads, kind, None
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.drop = nn.Dropout(0.5)
        self.talk = nn.Linear(heads, heads)
        self.gate = nn.Parameter(torch.zeros(1, heads, 1, 1))

    def forward(self, x):
        q, k, v = self.qkv(x).view(*x.shape[:2], 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        self.seen = self.reference(q.double(), k.double())
        return self.out(getattr(self, self.kind)(q, k, v).transpose(1, 2).reshape(x.shape))

    def reference(self, q, k):
        logits = torch.zeros(*q.shape[:3], k.size(2), dtype=torch.double)
        for i in range(q.size(2)):
            for j in range(k.size(2)):
                logits[:, :, i, j] = (q[:, :, i] * k[:, :, j]).sum(-1) / q.size(-1) ** 0.5
        shares = logits.exp()
        return shares / shares.sum(-1, keepdim=True)

    def map_of(self, q, k):
        return (q @ k.transpose(2, 3) * q.size(-1) ** -0.5).softmax(-1)

    def eager(self, q, k, v):
        return self.drop(self.map_of(q, k)) @ v

    def fused(self, q, k, v):
        return fused(q, k, v)

    def einsum(self, q, k, v):
        logits = torch.einsum("bhid,bhjd->bhij", q, k) * q.size(-1) ** -0.5
        return torch.einsum("bhij,bhjd->bhid", F.softmax(logits, dim=-1), v)

    def talking(self, q, k, v):
        mixed = self.talk(self.map_of(q, k).permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        self.seen = self.talk.double()(self.seen.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        self.talk.float()
        return mixed @ v

    def gated(self, q, k, v):
        places = torch.arange(q.size(2)).float()
        near = -(places[:, None] - places[None]).abs().expand(1, self.heads, -1, -1)
        gate = torch.sigmoid(self.gate)
        mixed = (1 - gate) * self.map_of(q, k) + gate * near.softmax(-1)
        mixed /= mixed.sum(-1).unsqueeze(-1)
        self.seen = (1 - gate.double()) * self.seen + gate.double() * near.double().softmax(-1)
        return mixed @ v


class Block(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.attn = attention

    def forward(self, x):
        return x + self.attn(x)


class Vit(nn.Module):
    """Class token, patches of 4 pixels, `kinds` of blocks, 5 classes."""

    def __init__(self, kinds, width=16, heads=2, prefix=1):
        super().__init__()
        torch.manual_seed(0)
        self.num_classes = 5
        self.embed = nn.Conv2d(3, width, 4, 4)
        self.prefix = nn.Parameter(torch.randn(1, prefix, width))
        self.blocks = nn.Sequential(*(Block(self.attention(width, heads, kind)) for kind in kinds))
        self.head = nn.Linear(width, 5)

    def attention(self, width, heads, kind):
        return MultiHead(width, heads) if kind == "multihead" else Attention(width, heads, kind)

    def forward(self, images):
        x = self.embed(images).flatten(2).transpose(1, 2)
        x = self.blocks(torch.cat([self.prefix.expand(len(x), -1, -1), x], 1))
        return self.head(x[:, 0])

    def seen(self):
        return [block.attn.seen for block in self.blocks]


class MultiHead(nn.Module):
    """torch.nn.MultiheadAttention without weights asked for, as torchvision calls it."""

    def __init__(self, width, heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.seen = None

    def forward(self, x):
        weights = self.attention.in_proj_weight.double().chunk(3)
        biases = self.attention.in_proj_bias.double().chunk(3)
        heads = self.attention.num_heads
        q, k = ((x.double() @ weights[i].t() + biases[i]).view(*x.shape[:2], heads, -1)
                .transpose(1, 2) for i in (0, 1))
        self.seen = Attention.reference(self, q, k)
        return self.attention(x, x, x, need_weights=False)[0]


class WindowBlock(nn.Module):
    """A block of Swin: windows of 2 × 3 tokens, rolled by `shift`. `seen` is over all tokens."""

    def __init__(self, width, heads, sides, shift):
        super().__init__()
        self.sides, self.window_size, self.shift_size = sides, (2, 3), shift
        self.attention = Attention(width, heads, "eager")
        self.seen = None

    def forward(self, x):
        rows, columns = self.sides
        height, width = -(-rows // 2) * 2, -(-columns // 3) * 3
        x = F.pad(x, (0, 0, 0, width - columns, 0, height - rows))
        x = torch.roll(x, (-self.shift_size[0], -self.shift_size[1]), (1, 2))
        x = x.view(len(x), height // 2, 2, width // 3, 3, -1).permute(0, 1, 3, 2, 4, 5)
        shape = x.shape
        x = self.attention(x.reshape(-1, 6, shape[-1])).view(shape)
        self.seen = self.spread(self.attention.seen, shape[0], height, width)
        x = x.permute(0, 1, 3, 2, 4, 5).reshape(shape[0], height, width, -1)
        return torch.roll(x, tuple(self.shift_size), (1, 2))[:, :rows, :columns]

    def spread(self, maps, batch, height, width):
        """Token by token: where each token of each window was before the roll."""
        rows, columns = self.sides
        whole = torch.zeros(batch, maps.size(1), rows * columns, rows * columns, dtype=torch.double)
        windows = (height // 2) * (width // 3)
        for index in range(windows):
            top, left = index // (width // 3) * 2, index % (width // 3) * 3
            places = [((top + i // 3 + self.shift_size[0]) % height,
                       (left + i % 3 + self.shift_size[1]) % width) for i in range(6)]
            for i, (r, c) in enumerate(places):
                for j, (s, d) in enumerate(places):
                    if r < rows and s < rows and c < columns and d < columns:
                        whole[:, :, r * columns + c, s * columns + d] = maps[index::windows, :, i, j]
        return whole


class Swin(nn.Module):
    def __init__(self, sides, shifts):
        super().__init__()
        torch.manual_seed(0)
        self.embed = nn.Conv2d(3, 8, 4, 4)
        self.blocks = nn.Sequential(*(WindowBlock(8, 2, sides, shift) for shift in shifts))

    def forward(self, images):
        return self.blocks(self.embed(images).permute(0, 2, 3, 1)).mean((1, 2))
