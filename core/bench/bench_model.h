#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/config/project.h"
#include "core/data/corpus.h"
#include "core/nn/transformer.h"

namespace holo::bench {

// One of the sizes that speed is stated for.
struct ModelSize {
    std::string name;  // "1M"
    int layers, hidden, heads;
    std::int64_t context;
    int batch;
    int vocab;

    std::string text() const;  // "4×128, 8 heads, T256, B16, V512"
};
inline const ModelSize kOneMillion{"1M", 4, 128, 8, 256, 16, 512};
inline const ModelSize kTwelveMillion{"12.5M", 8, 320, 8, 512, 4, 4096};
inline const ModelSize kGpt2Small{"124M", 12, 768, 12, 1024, 16, 50304};

// A run of that size: block style neox, standard ladder, AdamW with clipping, constant learning rate.
config::RunSpec runOf(const ModelSize& size);
nn::Transformer transformerOf(const config::RunSpec& run, at::Device device = at::kCPU);

// Tokens without any order, as many as asked for.
std::unique_ptr<data::Corpus> randomCorpus(int vocabulary);
std::vector<std::int32_t> randomTokens(std::int64_t count, int vocabulary, std::uint64_t seed);
at::Tensor tokenTensor(const std::vector<std::int32_t>& tokens, std::int64_t rows);  // int64 [rows, count/rows]

}  // namespace holo::bench
