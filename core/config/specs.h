#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/config/fields.h"

// The parts of a project. Defaults are the tiny project's where nothing else is customary. All lengths are tokens.
namespace holo::config {

struct ModelSpec {
    std::string style = "neox";        // neox: parallel residual, LayerNorm, GELU, biases; llama: sequential, RMSNorm, SwiGLU, no biases
    int layers = 2;
    int hidden = 64;
    int heads = 8;
    int kvHeads = 0;                   // 0: as heads
    int headDim = 0;                   // 0: hidden / heads
    int mlp = 0;                       // inner width; 0: 4·hidden (neox), 8/3·hidden to a multiple of 8 (llama)
    std::int64_t context = 256;        // N
    double rotaryPct = 1.0;
    double ropeBase = 10000;
    std::string pairing = "half";      // half | interleaved
    std::string qkNorm = "none";       // none | layernorm (no affine) | rms
    std::string residual = "auto";     // auto (by style) | parallel | sequential
    std::string norm = "auto";         // auto (by style) | layernorm | rmsnorm | plain (LayerNorm without weights)
    std::string biases = "auto";       // auto (by style) | none | qkv | attention (qkv and output) | all
    double normEps = 1e-5;
    bool tied = false;
    double dropout = 0;
    int vocab = 0;                     // 0: as the data's tokenizer
    std::string init = "small";        // small (√(2/(5·hidden)), outputs 2/(layers·√hidden)) | normal (initStd, truncated at 3σ)
    double initStd = 0.02;

    template <class V> static void fields(ModelSpec& s, V& v)
    {
        v(Field{.key = "style", .help = "block style: neox (parallel residual, LayerNorm, GELU, biases) or llama (sequential, RMSNorm, SwiGLU)", .choices = {"neox", "llama"}}, s.style);
        v(Field{.key = "layers", .help = "number of blocks", .minimum = 1, .maximum = 512}, s.layers);
        v(Field{.key = "hidden", .help = "width of the residual stream", .minimum = 2, .maximum = 65536}, s.hidden);
        v(Field{.key = "heads", .help = "query heads", .minimum = 1, .maximum = 1024}, s.heads);
        v(Field{.key = "kv_heads", .help = "key/value heads; 0: as heads", .minimum = 0, .maximum = 1024}, s.kvHeads);
        v(Field{.key = "head_dim", .help = "width of a head; 0: hidden / heads", .minimum = 0, .maximum = 1024}, s.headDim);
        v(Field{.key = "mlp", .help = "inner width of the MLP; 0: 4·hidden (neox), 8/3·hidden (llama)", .minimum = 0, .maximum = 1048576}, s.mlp);
        v(Field{.key = "context", .unit = "tokens", .help = "training context N", .minimum = 2, .maximum = 1048576}, s.context);
        v(Field{.key = "rotary_pct", .help = "share of a head's lanes that are rotated", .minimum = 0, .maximum = 1}, s.rotaryPct);
        v(Field{.key = "rope_base", .help = "base of the standard ladder", .minimum = 1, .exclusiveMinimum = true}, s.ropeBase);
        v(Field{.key = "pairing", .help = "lanes of a rotation plane: half (j, j + width/2) or interleaved (2j, 2j+1)", .choices = {"half", "interleaved"}}, s.pairing);
        v(Field{.key = "qk_norm", .help = "normalisation of q and k per head before the rotation", .choices = {"none", "layernorm", "rms"}}, s.qkNorm);
        v(Field{.key = "residual", .help = "attention and MLP of a block beside or behind each other; auto: by style", .choices = {"auto", "parallel", "sequential"}}, s.residual);
        v(Field{.key = "norm", .help = "norms of the residual stream, plain: LayerNorm without weights; auto: by style", .choices = {"auto", "layernorm", "rmsnorm", "plain"}}, s.norm);
        v(Field{.key = "biases", .help = "projections with biases, attention: qkv and output; auto: by style", .choices = {"auto", "none", "qkv", "attention", "all"}}, s.biases);
        v(Field{.key = "norm_eps", .help = "epsilon of the norms", .minimum = 0, .maximum = 1, .exclusiveMinimum = true}, s.normEps);
        v(Field{.key = "tied", .help = "output matrix is the embedding"}, s.tied);
        v(Field{.key = "dropout", .help = "dropout of the residual branches", .minimum = 0, .maximum = 0.99}, s.dropout);
        v(Field{.key = "vocab", .help = "vocabulary; 0: as the tokenizer", .minimum = 0, .maximum = 16777216}, s.vocab);
        v(Field{.key = "init", .help = "small: √(2/(5·hidden)), outputs 2/(layers·√hidden); normal: init_std truncated at 3σ", .choices = {"small", "normal"}}, s.init);
        v(Field{.key = "init_std", .help = "standard deviation of init normal", .minimum = 0, .maximum = 10, .exclusiveMinimum = true}, s.initStd);
    }
};

// The synthetic corpus "facts": every number of the generator. See core/data/synthetic.h for the process.
struct SyntheticSpec {
    int names = 16;
    int values = 32;
    int topics = 4;
    int determiners = 8;
    int adjectives = 24;
    int nouns = 48;
    int verbs = 32;
    double factRate = 0.08;      // h: a fact span starts with this probability in filler mode
    double recallRate = 0.7;     // ρ: a span recalls an earlier fact
    double topicRate = 0.03;
    std::int64_t documents = 13000;
    std::int64_t valDocuments = 512;
    int distractors = 4;         // of a needle prompt
    std::int64_t seed = 1;

    template <class V> static void fields(SyntheticSpec& s, V& v)
    {
        v(Field{.key = "names", .help = "names (and units) a fact can have", .minimum = 1, .maximum = 100000}, s.names);
        v(Field{.key = "values", .help = "values a fact can have", .minimum = 2, .maximum = 100000}, s.values);
        v(Field{.key = "topics", .help = "topics that shift the word frequencies", .minimum = 1, .maximum = 1000}, s.topics);
        v(Field{.key = "determiners", .minimum = 1, .maximum = 100000}, s.determiners);
        v(Field{.key = "adjectives", .minimum = 1, .maximum = 100000}, s.adjectives);
        v(Field{.key = "nouns", .minimum = 1, .maximum = 100000}, s.nouns);
        v(Field{.key = "verbs", .minimum = 1, .maximum = 100000}, s.verbs);
        v(Field{.key = "fact_rate", .help = "probability that a fact starts at a filler position", .minimum = 0, .maximum = 1}, s.factRate);
        v(Field{.key = "recall_rate", .help = "probability that a fact recalls an earlier one", .minimum = 0, .maximum = 1}, s.recallRate);
        v(Field{.key = "topic_rate", .help = "probability of a new topic at a filler position", .minimum = 0, .maximum = 1}, s.topicRate);
        v(Field{.key = "documents", .help = "training documents", .minimum = 1, .maximum = 100000000}, s.documents);
        v(Field{.key = "val_documents", .help = "validation documents", .minimum = 1, .maximum = 10000000}, s.valDocuments);
        v(Field{.key = "distractors", .help = "distractor facts in a needle prompt", .minimum = 0, .maximum = 1000}, s.distractors);
        v(Field{.key = "seed", .help = "seed of the corpus", .minimum = 0}, s.seed);
    }
};

struct DataSpec {
    std::vector<std::string> source = {"synthetic"};  // "synthetic", or paths (relative ones: from the project folder)
    std::string tokenizer = "bytes";                  // bytes | sentencepiece:V | path of a tokenizer file
    double valShare = 0.05;
    std::string packing = "stream";                   // stream | document
    std::string type = "auto";                        // of headerless shards: u16 | u32
    std::string invalidUtf8 = "replace";              // replace (counted, noted) | refuse
    std::int64_t seed = 1;                            // of the split
    SyntheticSpec synthetic;

    template <class V> static void fields(DataSpec& s, V& v)
    {
        v(Field{.key = "source", .help = "\"synthetic\", a path or a list of paths (text file or folder, JSONL, token shards)", .single = true}, s.source);
        v(Field{.key = "tokenizer", .help = "bytes, sentencepiece:V (trained on the source) or a tokenizer file"}, s.tokenizer);
        v(Field{.key = "val_share", .help = "share of documents held out, chosen by content hash", .minimum = 0, .maximum = 0.9}, s.valShare);
        v(Field{.key = "packing", .help = "stream: windows run over documents; document: one document a window", .choices = {"stream", "document"}}, s.packing);
        v(Field{.key = "type", .help = "token type of headerless shards", .choices = {"auto", "u16", "u32"}}, s.type);
        v(Field{.key = "invalid_utf8", .help = "broken bytes: replaced (counted) or refused", .choices = {"replace", "refuse"}}, s.invalidUtf8);
        v(Field{.key = "seed", .help = "seed of the train/validation split", .minimum = 0}, s.seed);
        v(Field{.key = "synthetic", .help = "the synthetic corpus"}, s.synthetic);
    }
};

struct TrainSpec {
    std::int64_t steps = 1600;
    std::int64_t tokens = 0;         // budget instead of steps; 0: steps decide
    int batch = 8;                   // windows of a micro-batch
    int accumulate = 1;              // micro-batches of a step
    double lr = 4e-3;
    double minLrShare = 0.1;         // end of the schedule as a share of lr
    double warmup = 100;             // steps; below 1: share of all steps
    std::string schedule = "cosine"; // cosine | linear | constant
    double beta1 = 0.9;
    double beta2 = 0.95;
    double eps = 1e-8;
    double weightDecay = 0.1;
    std::string decay = "matrices";  // matrices (embeddings too) | all
    double clip = 1.0;               // 0: none
    std::string precision = "auto";  // auto | fp32 | bf16
    std::int64_t checkpointEvery = 200;
    int keep = 2;                    // complete checkpoints kept
    std::string nonfinite = "stop";  // stop | skip
    int maxSkips = 10;               // in a row, under skip
    int logEvery = 1;

    template <class V> static void fields(TrainSpec& s, V& v)
    {
        v(Field{.key = "steps", .help = "optimiser steps", .minimum = 0, .maximum = 1e12}, s.steps);
        v(Field{.key = "tokens", .unit = "tokens", .help = "token budget instead of steps; 0: steps decide", .minimum = 0, .maximum = 1e18}, s.tokens);
        v(Field{.key = "batch", .unit = "windows", .help = "windows of a micro-batch", .minimum = 1, .maximum = 1048576}, s.batch);
        v(Field{.key = "accumulate", .help = "micro-batches of a step; the same windows in the same order however they are split", .minimum = 1, .maximum = 1048576}, s.accumulate);
        v(Field{.key = "lr", .help = "peak learning rate", .minimum = 0, .maximum = 1000}, s.lr);
        v(Field{.key = "min_lr_share", .help = "learning rate at the end as a share of lr", .minimum = 0, .maximum = 1}, s.minLrShare);
        v(Field{.key = "warmup", .unit = "steps", .help = "linear warm-up; below 1: share of all steps", .minimum = 0, .maximum = 1e12}, s.warmup);
        v(Field{.key = "schedule", .choices = {"cosine", "linear", "constant"}}, s.schedule);
        v(Field{.key = "beta1", .minimum = 0, .maximum = 0.999999}, s.beta1);
        v(Field{.key = "beta2", .minimum = 0, .maximum = 0.999999}, s.beta2);
        v(Field{.key = "eps", .minimum = 0, .maximum = 1, .exclusiveMinimum = true}, s.eps);
        v(Field{.key = "weight_decay", .minimum = 0, .maximum = 100}, s.weightDecay);
        v(Field{.key = "decay", .help = "what decays: matrices (embeddings too) or all parameters", .choices = {"matrices", "all"}}, s.decay);
        v(Field{.key = "clip", .help = "limit of the global gradient norm; 0: none", .minimum = 0}, s.clip);
        v(Field{.key = "precision", .help = "auto: the faster of both by a probe at the start", .choices = {"auto", "fp32", "bf16"}}, s.precision);
        v(Field{.key = "checkpoint_every", .unit = "steps", .help = "0: only at the end", .minimum = 0, .maximum = 1e12}, s.checkpointEvery);
        v(Field{.key = "keep", .help = "complete checkpoints kept", .minimum = 1, .maximum = 1000000}, s.keep);
        v(Field{.key = "nonfinite", .help = "non-finite loss or gradient: stop (exit 7) or skip the step", .choices = {"stop", "skip"}}, s.nonfinite);
        v(Field{.key = "max_skips", .help = "skipped steps in a row before the run stops", .minimum = 1, .maximum = 1e9}, s.maxSkips);
        v(Field{.key = "log_every", .unit = "steps", .minimum = 1, .maximum = 1e9}, s.logEvery);
    }
};

struct EvalSpec {
    std::vector<std::string> protocols = {"needle", "perplexity"};
    std::vector<std::int64_t> lengths = {64, 128, 192, 248};
    std::vector<double> depths = {0, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1};
    int trials = 50;
    std::int64_t every = 0;          // evaluate every so many steps; 0: only at the end
    int everyTrials = 10;            // trials a cell during training
    std::string templateFile;        // empty: the built-in one
    std::int64_t seed = 1;           // of the prompts
    std::int64_t perplexityTokens = 65536;

    template <class V> static void fields(EvalSpec& s, V& v)
    {
        v(Field{.key = "protocols", .help = "needle, passkey, perplexity, probe; [] for none", .choices = {"needle", "passkey", "perplexity", "probe"}}, s.protocols);
        v(Field{.key = "lengths", .unit = "tokens", .help = "prompt lengths", .minimum = 1, .maximum = 16777216}, s.lengths);
        v(Field{.key = "depths", .help = "needle positions as a share of the context", .minimum = 0, .maximum = 1}, s.depths);
        v(Field{.key = "trials", .help = "prompts a cell", .minimum = 1, .maximum = 1000000}, s.trials);
        v(Field{.key = "every", .unit = "steps", .help = "evaluate during training; 0: only at the end", .minimum = 0, .maximum = 1e12}, s.every);
        v(Field{.key = "every_trials", .help = "prompts a cell during training", .minimum = 1, .maximum = 1000000}, s.everyTrials);
        v(Field{.key = "template", .help = "file with needle, question and key; empty: the built-in one"}, s.templateFile);
        v(Field{.key = "seed", .help = "seed of the prompts, shared by all arms and training seeds", .minimum = 0}, s.seed);
        v(Field{.key = "perplexity_tokens", .unit = "tokens", .help = "validation tokens scored at each length", .minimum = 1, .maximum = 1e15}, s.perplexityTokens);
    }
};

}  // namespace holo::config
