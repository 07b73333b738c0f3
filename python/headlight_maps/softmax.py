# SPDX-License-Identifier: GPL-3.0-or-later
"""Attention maps from the arguments of PyTorch's fused functions, which never make a map."""
import inspect
import math

import torch


def precise(tensor):
    """In float32, or float64 where it is that already: half precision rounds maps too coarsely."""
    return tensor if tensor.dtype in (torch.float32, torch.float64) else tensor.float()


def repeated_keys(query, key):
    """`key` with a head for each head of `query` (grouped-query attention)."""
    if query.dim() < 3 or key.size(-3) == query.size(-3):
        return key
    return key.repeat_interleave(query.size(-3) // key.size(-3), -3)


def causal_bias(queries, keys, like):
    forbidden = torch.ones(queries, keys, dtype=torch.bool, device=like.device).triu(1)
    return torch.zeros(queries, keys, dtype=like.dtype, device=like.device).masked_fill(
        forbidden, -math.inf)


def masked(logits, mask):
    if mask.dtype == torch.bool:
        return logits.masked_fill(~mask, -math.inf)
    return logits + mask.to(logits.dtype)


def map_of_logits(logits):
    """Softmax; a row that may look nowhere is 0 instead of NaN, as in the fused kernels."""
    nowhere = (logits == -math.inf).all(-1, keepdim=True)
    return torch.softmax(logits, -1).masked_fill(nowhere, 0)


def map_of_dot_product(query, key, value=None, attn_mask=None, dropout_p=0.0, is_causal=False,
                       scale=None, enable_gqa=False):
    """softmax(q·kᵀ·scale + mask), with the arguments of F.scaled_dot_product_attention."""
    query, key = precise(query), precise(repeated_keys(query, key))
    scale = 1 / math.sqrt(query.size(-1)) if scale is None else scale
    logits = torch.matmul(query * scale, key.transpose(-2, -1))
    if is_causal:
        logits = logits + causal_bias(query.size(-2), key.size(-2), logits)
    if attn_mask is not None:
        logits = masked(logits, attn_mask)
    return map_of_logits(logits)


def map_of_private_dot_product(query, key, value=None, attn_mask=None, dropout_p=0.0,
                               need_attn_weights=False, is_causal=False):
    """As torch 1.13 names and orders them."""
    return map_of_dot_product(query, key, value, attn_mask, dropout_p, is_causal)


def map_of_multi_head(function, args, kwargs):
    """Of F.multi_head_attention_forward: computed once more with the weights of every head."""
    bound = inspect.signature(function).bind(*args, **kwargs)
    bound.arguments["need_weights"] = True
    if "average_attn_weights" in inspect.signature(function).parameters:
        bound.arguments["average_attn_weights"] = False
    bound.arguments["training"] = False
    return precise(function(*bound.args, **bound.kwargs)[1])
