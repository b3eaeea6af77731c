"""Training speed of Hugging Face transformers' GPTNeoX on the CPU: one size, one mode, one process, one JSON line.

Called by compare_transformers.sh, which alternates it with `holonomy bench step`. The step is forward, backward, clipping of the gradient
norm at 1 and fused AdamW, in fp32 with scaled_dot_product_attention, on random tokens; warm-up steps (which hold all compilation) are not
counted, the figure is the median of the others: processor time of the process, or wall clock.
"""

import argparse
import json
import statistics
import time

import torch
import transformers

# name: layers, hidden, heads, tokens, batch, vocabulary — those of `holonomy bench step`
SIZES = {"1M": (4, 128, 8, 256, 16, 512), "12.5M": (8, 320, 8, 512, 4, 4096)}


def model_of(size):
    layers, hidden, heads, tokens, _, vocabulary = SIZES[size]
    config = transformers.GPTNeoXConfig(
        vocab_size=vocabulary,
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=4 * hidden,
        max_position_embeddings=tokens,
        rotary_pct=1.0,
        use_parallel_residual=True,
        hidden_act="gelu",
        tie_word_embeddings=False,
        attention_dropout=0.0,
        hidden_dropout=0.0,
        use_cache=False,
        attn_implementation="sdpa",
    )
    torch.manual_seed(1)
    return transformers.GPTNeoXForCausalLM(config).train()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=SIZES, required=True)
    parser.add_argument("--mode", choices=["eager", "compile"], required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--clock", choices=["cpu", "wall"], default="cpu")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)

    _, _, _, tokens, batch, vocabulary = SIZES[arguments.size]
    model = model_of(arguments.size)
    run = torch.compile(model) if arguments.mode == "compile" else model
    matrices = [p for p in model.parameters() if p.dim() > 1]
    vectors = [p for p in model.parameters() if p.dim() <= 1]
    optimizer = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}], lr=1e-4, betas=(0.9, 0.95), fused=True)
    ids = torch.randint(vocabulary, (batch, tokens + 1))
    inputs, targets = ids[:, :-1].contiguous(), ids[:, 1:].contiguous()

    def step():
        optimizer.zero_grad(set_to_none=True)
        logits = run(input_ids=inputs).logits
        loss = torch.nn.functional.cross_entropy(logits.view(-1, vocabulary), targets.view(-1))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    for _ in range(3):
        step()
    clock = time.process_time if arguments.clock == "cpu" else time.perf_counter
    seconds = []
    for _ in range(arguments.steps):
        begin = clock()
        step()
        seconds.append(clock() - begin)
    print(json.dumps({
        "program": "transformers " + arguments.mode,
        "size": arguments.size,
        "tok_s": batch * tokens / statistics.median(seconds),
        "parameters": sum(p.numel() for p in model.parameters()),
        "torch": torch.__version__,
        "transformers": transformers.__version__,
    }))


if __name__ == "__main__":
    main()
