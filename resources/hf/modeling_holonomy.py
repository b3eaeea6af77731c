"""Decoder-only transformer whose heads may each have their own positional scheme: rotary ladders, Fourier series, slopes, windows.

Written by Holonomy beside an exported checkpoint; loads with trust_remote_code=True. Everything is in config.json:
  block      sizes and parts of a block
  positions  ladders (theta in rad/token, or the coefficients of a series), and for each layer and head which ladder, slope, window, temperature
A score is  temperature * <R(m) q, R(n) k> / sqrt(d) - slope * (m - n),  over the last `window` keys (0: all).
"""
import dataclasses
import math

import torch
import torch.nn.functional as F
from torch import nn
from transformers import DynamicCache, GenerationMixin, PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import CausalLMOutputWithPast

# What transformers calls the cache of keys and values; the name changed within version 5.
CACHE = "cache" if "cache" in {field.name for field in dataclasses.fields(CausalLMOutputWithPast)} else "past_key_values"


class HolonomyConfig(PretrainedConfig):
    model_type = "holonomy"

    def __init__(self, block=None, positions=None, vocab_size=1, hidden_size=2, num_hidden_layers=0, num_attention_heads=1, **kwargs):
        self.block = block or {}
        self.positions = positions or {}
        self.vocab_size = vocab_size
        self.hidden_size = hidden_size
        self.num_hidden_layers = num_hidden_layers
        self.num_attention_heads = num_attention_heads
        super().__init__(**kwargs)


def phase_table(ladder, position):
    """cos and sin of every position and plane, [batch, length, planes] in float64."""
    position = position.double()
    if ladder.get("position_period"):
        position = position % ladder["position_period"]
    if "kept" in ladder:
        angle = position[..., None] * torch.tensor(ladder["kept"], dtype=torch.float64)
        cos = torch.cos(angle) @ torch.tensor(ladder["cos"], dtype=torch.float64)
        sin = torch.sin(angle) @ torch.tensor(ladder["sin"], dtype=torch.float64)
        padding = (*position.shape, ladder["planes"] - cos.shape[-1])
        cos = torch.cat([cos, torch.full(padding, float(ladder["pad_cos"]), dtype=torch.float64)], -1)
        sin = torch.cat([sin, torch.full(padding, float(ladder["pad_sin"]), dtype=torch.float64)], -1)
    else:
        angle = position[..., None] * torch.tensor(ladder["theta"], dtype=torch.float64)
        cos, sin = torch.cos(angle), torch.sin(angle)
    return cos * ladder["table_scale"], sin * ladder["table_scale"]


class Norm(nn.Module):
    def __init__(self, kind, width, eps):
        super().__init__()
        self.kind, self.width, self.eps = kind, width, eps
        self.weight = nn.Parameter(torch.ones(width)) if kind != "plain" else None
        self.bias = nn.Parameter(torch.zeros(width)) if kind == "layernorm" else None

    def forward(self, x):
        if self.kind == "rmsnorm":
            wide = x.float()
            return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps)).to(x.dtype) * self.weight
        return F.layer_norm(x, (self.width,), self.weight, self.bias, self.eps)


class Attention(nn.Module):
    def __init__(self, block, heads, layer):
        super().__init__()
        self.block, self.heads, self.layer = block, heads, layer
        d, n, kv = block["head_dim"], block["heads"], block["kv_heads"]
        self.qkv = nn.Linear(block["hidden"], (n + 2 * kv) * d, bias=block["qkv_bias"])
        self.out = nn.Linear(n * d, block["hidden"], bias=block["output_bias"])

    def rotate(self, x, cos, sin):
        planes = cos.shape[-1]
        turned, rest = x[..., : 2 * planes], x[..., 2 * planes :]
        if self.block["pairing"] == "interleaved":
            a, b = turned[..., 0::2], turned[..., 1::2]
            turned = torch.stack([a * cos - b * sin, b * cos + a * sin], -1).flatten(-2)
        else:
            a, b = turned[..., :planes], turned[..., planes:]
            turned = torch.cat([a * cos - b * sin, b * cos + a * sin], -1)
        return torch.cat([turned, rest], -1)

    def forward(self, x, tables, distance, visible, cache):
        batch, length, _ = x.shape
        d, n, kv = self.block["head_dim"], self.block["heads"], self.block["kv_heads"]
        q, k, v = self.qkv(x).view(batch, length, n + 2 * kv, d).transpose(1, 2).split([n, kv, kv], 1)
        if self.block["qk_norm"] == "layernorm":
            q, k = (F.layer_norm(y, (d,), eps=self.block["norm_eps"]) for y in (q, k))
        elif self.block["qk_norm"] == "rms":
            q, k = (y * torch.rsqrt(y.float().pow(2).mean(-1, keepdim=True) + self.block["norm_eps"]).to(y.dtype) for y in (q, k))
        cos, sin = tables
        if cos is not None:
            chosen = torch.tensor([head["ladder"] for head in self.heads], device=x.device)
            of_keys = chosen[:: n // kv]
            q = self.rotate(q.float(), cos[:, chosen], sin[:, chosen]).to(v.dtype)
            k = self.rotate(k.float(), cos[:, of_keys], sin[:, of_keys]).to(v.dtype)
        if cache is not None:
            k, v = cache.update(k, v, self.layer)
        k, v = (y.repeat_interleave(n // kv, 1) for y in (k, v))
        column = lambda key: torch.tensor([float(head[key]) for head in self.heads], device=x.device).view(n, 1, 1)
        window = column("window")
        hidden = ~visible | ((window > 0) & (distance >= window))
        scores = (q.float() @ k.float().transpose(2, 3)) * column("temperature") / math.sqrt(d) - column("slope") * distance
        scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        mixed = scores.softmax(-1).to(v.dtype) @ v
        return self.out(mixed.transpose(1, 2).reshape(batch, length, n * d))


class Mlp(nn.Module):
    def __init__(self, block):
        super().__init__()
        bias = block["mlp_bias"]
        self.up = nn.Linear(block["hidden"], block["mlp"], bias=bias)
        self.gate = nn.Linear(block["hidden"], block["mlp"], bias=bias) if block["gated"] else None
        self.down = nn.Linear(block["mlp"], block["hidden"], bias=bias)

    def forward(self, x):
        return self.down(F.gelu(self.up(x)) if self.gate is None else F.silu(self.gate(x)) * self.up(x))


class Block(nn.Module):
    def __init__(self, block, heads, layer):
        super().__init__()
        self.parallel = block["parallel"]
        self.ln1 = Norm(block["norm"], block["hidden"], block["norm_eps"])
        self.attn = Attention(block, heads, layer)
        self.ln2 = Norm(block["norm"], block["hidden"], block["norm_eps"])
        self.mlp = Mlp(block)

    def forward(self, x, *how):
        mixed = self.attn(self.ln1(x), *how)
        if self.parallel:
            return x + mixed + self.mlp(self.ln2(x))
        x = x + mixed
        return x + self.mlp(self.ln2(x))


class HolonomyForCausalLM(PreTrainedModel, GenerationMixin):
    config_class = HolonomyConfig
    base_model_prefix = ""

    def __init__(self, config):
        super().__init__(config)
        block = config.block
        self.embed = nn.Embedding(config.vocab_size, config.hidden_size)
        self.blocks = nn.ModuleList([Block(block, heads, layer) for layer, heads in enumerate(config.positions["heads"])])
        self.final_norm = Norm(block["norm"], config.hidden_size, block["norm_eps"])
        self.head = None if block["tied"] else nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self.post_init()

    def _init_weights(self, module):
        pass

    def get_input_embeddings(self):
        return self.embed

    def forward(self, input_ids, attention_mask=None, past_key_values=None, cache=None, use_cache=None, labels=None, logits_to_keep=0, **unused):
        batch, length = input_ids.shape
        cache = past_key_values if cache is None else cache
        if use_cache and cache is None:
            cache = DynamicCache()
        past = 0 if cache is None else cache.get_seq_length()
        # Positions count from the first token that is no padding, on the left.
        here = torch.ones(batch, past + length, dtype=torch.bool, device=input_ids.device) if attention_mask is None else attention_mask.bool()
        of_keys = (here.long().cumsum(-1) - 1).clamp(min=0)
        of_queries = of_keys[:, past:]
        index = torch.arange(past + length, device=input_ids.device)
        visible = here[:, None, None] & (index[past:, None] >= index)[None, None]
        distance = (of_queries[:, :, None] - of_keys[:, None])[:, None]
        tables = (None, None)
        if self.config.block["rotary_dim"] > 0:
            pairs = [phase_table(ladder, of_queries.cpu()) for ladder in self.config.positions["ladders"]]
            tables = tuple(torch.stack([pair[i] for pair in pairs], 1).float().to(input_ids.device) for i in (0, 1))
        x = self.embed(input_ids)
        for block in self.blocks:
            x = block(x, tables, distance, visible, cache)
        x = self.final_norm(x[:, -logits_to_keep:])
        logits = F.linear(x, self.embed.weight) if self.head is None else self.head(x)
        loss = None
        if labels is not None:
            loss = F.cross_entropy(logits[:, :-1].flatten(0, 1).float(), labels[:, 1:].flatten())
        return CausalLMOutputWithPast(loss=loss, logits=logits, **{CACHE: cache})

    def prepare_inputs_for_generation(self, input_ids, attention_mask=None, use_cache=True, **more):
        past = 0 if more.get(CACHE) is None else more[CACHE].get_seq_length()
        return {"input_ids": input_ids[:, past:], "attention_mask": attention_mask, CACHE: more.get(CACHE), "use_cache": use_cache, "logits_to_keep": 1}
