#include <algorithm>
#include <atomic>
#include <numbers>
#include <numeric>

#include <ATen/ops/gather.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/tensor.h>

#include "core/base/error.h"
#include "core/eval/evaluator.h"
#include "core/nn/transformer.h"
#include "core/ops/attention.h"

namespace holo::eval {

namespace {

using Request = LanguageModel::Request;

constexpr std::int64_t kTokensOfABatch = 1 << 15;    // on a device
constexpr std::int64_t kLogitsAtOnce = 1 << 25;      // elements

std::int64_t inputs(const Request& request) { return request.end - 1; }  // the last scored token is never read

at::Tensor idTensor(const std::vector<const std::int32_t*>& rows, std::int64_t length, at::Device device)
{
    at::Tensor ids = at::empty({std::int64_t(rows.size()), length}, at::TensorOptions().dtype(at::kLong));
    std::int64_t* out = ids.mutable_data_ptr<std::int64_t>();
    for (const std::int32_t* row : rows)
        out = std::copy(row, row + length, out);
    return ids.to(device);
}

at::Tensor idTensor(const std::vector<std::int64_t>& values, at::Device device)
{
    return at::tensor(at::ArrayRef<std::int64_t>(values), at::TensorOptions().dtype(at::kLong)).to(device);
}

// Scores of the targets under rows of logits, fp32 with the sum of exponentials by logsumexp.
std::vector<ScoredToken> scoredTokens(const at::Tensor& logits, const std::vector<std::int64_t>& targets, const std::vector<std::int32_t>& among, bool ranks)
{
    const at::Tensor own = logits.gather(1, idTensor(targets, logits.device()).unsqueeze(1));
    const at::Tensor logs = (own.squeeze(1) - logits.logsumexp(1)).to(at::kCPU, at::kDouble).contiguous();
    const auto counts = [&own](const at::Tensor& rows) {
        return std::pair((rows > own).sum(1).to(at::kCPU).contiguous(), (rows == own).sum(1).to(at::kCPU).contiguous());
    };
    std::vector<ScoredToken> result(targets.size());
    for (std::size_t i = 0; i < targets.size(); ++i)
        result[i].logProbability = logs.const_data_ptr<double>()[i];
    if (!ranks)
        return result;
    const auto [above, equal] = counts(logits);
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const double higher = double(above.const_data_ptr<std::int64_t>()[i]);
        const double same = double(equal.const_data_ptr<std::int64_t>()[i]);
        result[i].isArgmax = higher == 0 && same == 1;
        result[i].rank = same > 0 ? higher + (same + 1) / 2 : double(logits.size(1));  // not a number: last
    }
    if (among.empty())
        return result;
    const auto [aboveAmong, equalAmong] = counts(logits.index_select(1, idTensor({among.begin(), among.end()}, logits.device())));
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const double same = double(equalAmong.const_data_ptr<std::int64_t>()[i]);
        const bool isCandidate = std::find(among.begin(), among.end(), std::int32_t(targets[i])) != among.end();
        if (isCandidate)
            result[i].rankAmong = same > 0 ? double(aboveAmong.const_data_ptr<std::int64_t>()[i]) + (same + 1) / 2 : double(among.size());
    }
    return result;
}

// On the CPU every sequence is computed by itself, in one thread, sequences side by side: small matrices gain nothing from being stacked, and a
// result cannot depend on what else was asked for. On a device sequences of equal length share a batch, without padding.
class TransformerModel : public LanguageModel {
public:
    explicit TransformerModel(nn::Transformer& model)
        : m_model(model)
        , m_device(model.parameters().front().second.device())
    {
    }

    int vocabulary() const override { return m_model.spec().vocab; }
    std::int64_t context() const override { return m_model.spec().context; }

    std::vector<std::vector<ScoredToken>> score(const std::vector<Request>& requests) override
    {
        std::vector<std::int64_t> lengths;
        for (const Request& request : requests) {
            check(request);
            lengths.push_back(inputs(request));
        }
        std::vector<std::vector<ScoredToken>> results(requests.size());
        forBatches(lengths, [&](const std::vector<std::size_t>& batch) { scoreBatch(requests, batch, results); });
        return results;
    }

    std::vector<std::vector<std::int32_t>> generate(const std::vector<std::vector<std::int32_t>>& prompts, int count) override
    {
        std::vector<std::vector<std::int32_t>> results(prompts.size());
        std::vector<std::int64_t> lengths;
        for (const auto& prompt : prompts) {
            checkTokens(prompt);
            lengths.push_back(std::int64_t(prompt.size()));
        }
        if (count > 0)
            forBatches(lengths, [&](const std::vector<std::size_t>& batch) { generateBatch(prompts, batch, count, results); });
        return results;
    }

    bool visitAttention(const std::vector<std::int32_t>& tokens, const std::function<void(const AttentionView&)>& visit) override
    {
        checkTokens(tokens);
        const ladder::Plan& plan = m_model.plan();
        for (const auto& row : plan.heads)
            for (const ladder::HeadAssignment& head : row)
                if (plan.landmarkBlock > 0 || head.form != ladder::AttentionForm::Softmax)
                    return false;  // their weights are no plain softmax of q and k
        const at::NoGradGuard guard;
        m_model.visitAttention(idTensor({tokens.data()}, std::int64_t(tokens.size()), m_device), [&](int layer, const at::Tensor& packed, const ops::AttentionLayer& attention) {
            const at::Tensor qkv = packed.to(at::kFloat).clone();
            at::Tensor weights;
            ops::attendReference(qkv, attention, &weights);
            const std::int64_t length = qkv.size(1);
            const auto heads = [&](int first, int count) {
                return qkv.narrow(2, std::int64_t(first) * attention.headDim, std::int64_t(count) * attention.headDim)
                    .reshape({length, count, attention.headDim}).transpose(0, 1).to(at::kCPU).contiguous();
            };
            const at::Tensor queries = heads(0, attention.heads);
            const at::Tensor keys = heads(attention.heads, attention.kvHeads);
            const at::Tensor whole = weights.to(at::kCPU, at::kFloat).contiguous();
            const auto values = [](const at::Tensor& t) { return std::span(t.const_data_ptr<float>(), std::size_t(t.numel())); };
            AttentionView view;
            view.layer = layer;
            view.tokens = length;
            view.headDim = attention.headDim;
            view.groupSize = attention.heads / attention.kvHeads;
            view.weights = values(whole);
            view.queries = values(queries);
            view.keys = values(keys);
            for (const ladder::HeadAssignment& head : plan.heads[std::size_t(layer)])
                view.heads.push_back(describe(plan.ladders[std::size_t(head.ladder)], plan.shape));
            visit(view);
        });
        return true;
    }

private:
    static AttentionView::Head describe(const ladder::Ladder& ladder, const ladder::ModelShape& shape)
    {
        AttentionView::Head head{&ladder, std::vector<bool>(std::size_t(shape.headDim)), std::vector<bool>(std::size_t(shape.headDim))};
        const std::size_t planes = std::size_t(shape.rotaryDim) / 2;
        for (std::size_t plane = 0; plane < std::min(planes, ladder.theta.size()); ++plane) {
            const bool half = shape.pairing == ladder::Pairing::HalfSplit;
            for (const std::size_t lane : {half ? plane : 2 * plane, half ? plane + planes : 2 * plane + 1}) {
                head.rotated[lane] = ladder.theta[plane] != 0;
                head.undertrained[lane] = ladder.theta[plane] * double(shape.context) < 2 * std::numbers::pi;
            }
        }
        return head;
    }

    void checkTokens(const std::vector<std::int32_t>& tokens) const
    {
        if (tokens.empty())
            throw Error::at(ErrorKind::Usage, {.field = "tokens", .found = "none", .allowed = "at least one"});
        for (std::size_t t = 0; t < tokens.size(); ++t)
            if (tokens[t] < 0 || tokens[t] >= vocabulary())
                throw Error::at(ErrorKind::Usage, {.field = "token " + std::to_string(t), .found = std::to_string(tokens[t]),
                                                   .allowed = "0 to " + std::to_string(vocabulary() - 1) + ", the model's vocabulary"});
    }

    void check(const Request& request) const
    {
        checkTokens(request.tokens);
        if (request.begin < 1 || request.end <= request.begin || request.end > std::int64_t(request.tokens.size()))
            throw Error(ErrorKind::Internal, "a request scores tokens " + std::to_string(request.begin) + " to " + std::to_string(request.end) + " of " + std::to_string(request.tokens.size()) + ".");
    }

    // Calls `work` for parts of 0 … lengths.size()−1 whose members have one length, shortest first, so that tables of a length are made once.
    template <class Work>
    void forBatches(const std::vector<std::int64_t>& lengths, const Work& work)
    {
        std::vector<std::size_t> order(lengths.size());
        std::iota(order.begin(), order.end(), std::size_t(0));
        std::stable_sort(order.begin(), order.end(), [&lengths](std::size_t a, std::size_t b) { return lengths[a] < lengths[b]; });
        if (m_device.is_cpu()) {
            // At least two iterations: a single one would not open a parallel region, and only inside one does every operation use one thread,
            // whether it comes alone or with others, and whatever the number of threads.
            std::atomic<std::size_t> next = 0;
            at::parallel_for(0, std::max(2, at::get_num_threads()), 1, [&](std::int64_t begin, std::int64_t end) {
                const at::NoGradGuard guard;
                for (; begin < end; ++begin)
                    for (std::size_t i = next++; i < order.size(); i = next++)
                        work(std::vector<std::size_t>{order[i]});
            });
            return;
        }
        const at::NoGradGuard guard;
        for (std::size_t i = 0; i < order.size();) {
            const std::int64_t length = lengths[order[i]];
            const auto most = std::size_t(std::max<std::int64_t>(1, kTokensOfABatch / length));
            std::size_t end = i;
            while (end < order.size() && end - i < most && lengths[order[end]] == length)
                ++end;
            work(std::vector<std::size_t>(order.begin() + std::ptrdiff_t(i), order.begin() + std::ptrdiff_t(end)));
            i = end;
        }
    }

    void generateBatch(const std::vector<std::vector<std::int32_t>>& prompts, const std::vector<std::size_t>& batch, int count, std::vector<std::vector<std::int32_t>>& results)
    {
        // The sequence has its final length from the start, so that tables which depend on it never change under way; what stands behind the
        // token in hand is not seen by it.
        const auto length = std::int64_t(prompts[batch.front()].size());
        const std::int64_t fed = length + count - 1;
        std::vector<std::vector<std::int32_t>> tokens;
        std::vector<const std::int32_t*> rows;
        for (const std::size_t i : batch) {
            tokens.push_back(prompts[i]);
            tokens.back().resize(std::size_t(length + count), 0);
        }
        for (const auto& row : tokens)
            rows.push_back(row.data());
        for (int k = 0; k < count; ++k) {
            const at::Tensor hidden = m_model.hidden(idTensor(rows, fed, m_device));
            std::vector<std::int64_t> at;
            for (std::size_t r = 0; r < batch.size(); ++r)
                at.push_back(std::int64_t(r) * fed + length - 1 + k);
            const at::Tensor best = m_model.logits(hidden, idTensor(at, m_device)).argmax(1).to(at::kCPU).contiguous();
            for (std::size_t r = 0; r < batch.size(); ++r)
                tokens[r][std::size_t(length + k)] = std::int32_t(best.const_data_ptr<std::int64_t>()[r]);
        }
        for (std::size_t r = 0; r < batch.size(); ++r)
            results[batch[r]].assign(tokens[r].begin() + length, tokens[r].end());
    }

    void scoreBatch(const std::vector<Request>& requests, const std::vector<std::size_t>& batch, std::vector<std::vector<ScoredToken>>& results)
    {
        std::vector<const std::int32_t*> tokens;
        for (const std::size_t i : batch)
            tokens.push_back(requests[i].tokens.data());
        const std::int64_t length = inputs(requests[batch.front()]);
        const at::Tensor hidden = m_model.hidden(idTensor(tokens, length, m_device));
        const std::int64_t most = std::max<std::int64_t>(1, kLogitsAtOnce / vocabulary());

        // Rows of requests that ask for the same are scored together; a request with more rows than fit is cut.
        std::vector<std::int64_t> rows;
        std::vector<std::int64_t> targets;
        std::vector<std::size_t> owners;
        const Request* first = nullptr;
        const auto flush = [&] {
            if (rows.empty())
                return;
            const auto scored = scoredTokens(m_model.logits(hidden, idTensor(rows, m_device)), targets, first->among, first->ranks);
            for (std::size_t i = 0; i < scored.size(); ++i)
                results[owners[i]].push_back(scored[i]);
            rows.clear();
            targets.clear();
            owners.clear();
        };
        for (std::size_t r = 0; r < batch.size(); ++r) {
            const Request& request = requests[batch[r]];
            if (first && (first->ranks != request.ranks || first->among != request.among))
                flush();
            first = &request;
            for (std::int64_t t = request.begin; t < request.end; ++t) {
                rows.push_back(std::int64_t(r) * length + t - 1);
                targets.push_back(request.tokens[std::size_t(t)]);
                owners.push_back(batch[r]);
                if (std::int64_t(rows.size()) >= most)
                    flush();
            }
        }
        flush();
    }

    nn::Transformer& m_model;
    at::Device m_device;
};

}  // namespace

std::unique_ptr<LanguageModel> languageModel(nn::Transformer& model)
{
    return std::make_unique<TransformerModel>(model);
}

}  // namespace holo::eval
