#include "core/bench/matrix_products.h"

#include <map>
#include <vector>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>

namespace holo::bench {

namespace {

struct Product {
    at::Tensor input, weight, gradient;  // [rows,in], [out,in], [rows,out]
};

}  // namespace

struct MatrixProducts::Impl {
    std::vector<Product> products;
    at::TensorOptions options;
    std::map<std::pair<std::int64_t, std::int64_t>, at::Tensor> activations;  // shared by shape: their values do not matter

    at::Tensor activation(std::int64_t rows, std::int64_t width)
    {
        at::Tensor& tensor = activations[{rows, width}];
        if (!tensor.defined())
            tensor = at::full({rows, width}, 0.01, options);
        return tensor;
    }

    void add(std::int64_t rows, std::int64_t in, std::int64_t out)
    {
        products.push_back({activation(rows, in), at::full({out, in}, 0.01, options), activation(rows, out)});
    }
};

MatrixProducts::MatrixProducts(const config::ModelSpec& model, std::int64_t rows, std::int64_t headRows, bool bf16)
    : m(std::make_unique<Impl>())
{
    m->options = at::TensorOptions().dtype(bf16 ? at::kBFloat16 : at::kFloat);
    for (int l = 0; l < model.layers; ++l) {
        m->add(rows, model.hidden, std::int64_t(model.heads + 2 * model.kvHeads) * model.headDim);
        m->add(rows, std::int64_t(model.heads) * model.headDim, model.hidden);
        m->add(rows, model.hidden, model.mlp);
        if (model.style == "llama")
            m->add(rows, model.hidden, model.mlp);
        m->add(rows, model.mlp, model.hidden);
    }
    if (headRows > 0)
        m->add(headRows, model.hidden, model.vocab);
}

MatrixProducts::~MatrixProducts() = default;

void MatrixProducts::forward()
{
    const at::NoGradGuard guard;
    for (const Product& p : m->products)
        at::linear(p.input, p.weight);
}

void MatrixProducts::forwardAndBackward()
{
    forward();
    const at::NoGradGuard guard;
    for (const Product& p : m->products) {
        at::matmul(p.gradient, p.weight);
        at::matmul(p.gradient.t(), p.input);
    }
}

}  // namespace holo::bench
