// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/interventions/HeadComposition.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/workbench/session/ModelAccess.h"

namespace headlight {
namespace {

constexpr double kNoScore = std::numeric_limits<double>::quiet_NaN();

/// Of one layer, in double precision: rows of Q, K and V [H, d, D], columns of O [H, D, d].
struct HeadMatrices {
  at::Tensor query, key, value, output;
};

using ComposedTensors = std::map<std::string, at::Tensor>;

at::Tensor exactOrNone(const ComposedTensors& tensors, const std::string& name) {
  const auto found = tensors.find(name);
  return found == tensors.end() ? at::Tensor() : found->second.detach().to(at::kCPU, at::kDouble);
}

[[noreturn]] void refuseComposition() {
  throw Failure({ErrorCode::InvalidArgument,
                 tr("composition scores need a ViT with softmax attention; open one"),
                 "composition"});
}

/// [3·D, D] of qkv, or of its parts one after the other.
at::Tensor inputWeights(const ComposedTensors& tensors, const std::string& attention) {
  at::Tensor whole = exactOrNone(tensors, attention + "qkv.weight");
  if (whole.defined()) return whole;
  std::vector<at::Tensor> parts;
  for (const char* name : {"q_proj.weight", "k_proj.weight", "v_proj.weight"}) {
    parts.push_back(exactOrNone(tensors, attention + name));
    if (!parts.back().defined()) refuseComposition();
  }
  return at::cat(parts, 0);
}

/// LayerScale of a block's attention, or 1.
at::Tensor branchScale(const ComposedTensors& tensors, const std::string& block) {
  for (const char* name : {"ls1.gamma", "gamma_1"})
    if (at::Tensor scale = exactOrNone(tensors, block + name); scale.defined()) return scale;
  return at::ones({1}, at::kDouble);
}

HeadMatrices matricesOfLayer(Model& model, const ComposedTensors& tensors, int layer) {
  const std::string block = "blocks." + std::to_string(layer) + ".";
  const std::int64_t heads = model.heads(layer);
  const at::Tensor norm = exactOrNone(tensors, block + "norm1.weight");
  const at::Tensor projection = model.attention(layer).headProjection().weight;
  if (!norm.defined() || !projection.defined()) refuseComposition();
  const std::int64_t width = norm.size(0);
  const at::Tensor read =
      (inputWeights(tensors, block + "attn.") * norm).view({3, heads, -1, width});
  const at::Tensor write =
      projection.detach().to(at::kCPU, at::kDouble) * branchScale(tensors, block).unsqueeze(1);
  return {read[0], read[1], read[2], write.view({width, heads, -1}).transpose(0, 1)};
}

/// [H, d, d]: of each head X Xᵀ.
at::Tensor gram(const at::Tensor& rows) {
  return at::matmul(rows, rows.transpose(1, 2));
}

/// [H]: ‖AᵀB‖² from the Gram matrices of the rows of A and B.
at::Tensor squaredProduct(const at::Tensor& a, const at::Tensor& b) {
  return (a * b).flatten(1).sum(1);  // both are symmetric
}

/// [H', H]: ‖AᵀRWB‖ of Gram matrices of A and B, R [H', d, D] and W [H, D, d].
at::Tensor composedNorms(const at::Tensor& outer, const at::Tensor& read, const at::Tensor& write,
                         const at::Tensor& inner) {
  const at::Tensor met = at::matmul(read.unsqueeze(1), write.unsqueeze(0));  // [H', H, d, d]
  const at::Tensor turned = at::matmul(at::matmul(outer.unsqueeze(1), met), inner.unsqueeze(0));
  return (met * turned).flatten(2).sum(2).clamp_min(0).sqrt();
}

class CompositionTable {
 public:
  explicit CompositionTable(HeadComposition& result) : m_result(result) {
    const auto pairs = static_cast<std::size_t>(result.total()) * result.total();
    for (auto* list : {&result.query, &result.key, &result.value})
      list->assign(pairs, kNoScore);
  }

  void add(const HeadMatrices& from, int fromLayer, const HeadMatrices& to, int toLayer) {
    const at::Tensor values = gram(from.value), outputs = gram(from.output.transpose(1, 2));
    const at::Tensor written = squaredProduct(outputs, values).sqrt();
    const at::Tensor queries = gram(to.query), keys = gram(to.key);
    const at::Tensor compared = squaredProduct(queries, keys).sqrt();
    const at::Tensor toOutputs = gram(to.output.transpose(1, 2));
    const at::Tensor moved = squaredProduct(toOutputs, gram(to.value)).sqrt();
    const auto put = [&](std::vector<double>& list, const at::Tensor& norms,
                         const at::Tensor& scale) {
      store(list, norms / at::outer(scale, written), fromLayer, toLayer);
    };
    put(m_result.query, composedNorms(keys, to.query, from.output, values), compared);
    put(m_result.key, composedNorms(queries, to.key, from.output, values), compared);
    put(m_result.value, composedNorms(toOutputs, to.value, from.output, values), moved);
  }

 private:
  void store(std::vector<double>& list, const at::Tensor& scores, int fromLayer, int toLayer) {
    const at::Tensor host = scores.contiguous();
    const std::int64_t from = host.size(1);
    for (int t = 0; t < host.size(0); ++t)
      for (int f = 0; f < from; ++f)
        list[static_cast<std::size_t>(m_result.index(toLayer, t)) * m_result.total() +
             m_result.index(fromLayer, f)] = host.data_ptr<double>()[t * from + f];
  }

  HeadComposition& m_result;
};

void requireComposable(const ModelConfig& config) {
  if (config.backbone != "vit" || config.mechanism != "softmax") refuseComposition();
}

}  // namespace

const std::vector<double>& HeadComposition::of(CompositionInput input) const {
  return input == CompositionInput::Query ? query : input == CompositionInput::Key ? key : value;
}

int HeadComposition::total() const {
  return std::accumulate(heads.begin(), heads.end(), 0);
}

int HeadComposition::index(int layer, int head) const {
  return std::accumulate(heads.begin(), heads.begin() + layer, head);
}

Result<HeadComposition> composeHeads(InferenceSession& session) {
  return guarded("composition", [&] {
    const at::NoGradGuard noGrad;
    at::init_num_threads();  // counts are per thread
    HeadComposition result;
    result.heads = session.info().heads;
    withModel(session, [&](Model& model) {
      requireComposable(model.config());
      result.chance = 1 / std::sqrt(static_cast<double>(model.config().width));
      const ModelTensors state = model.state();
      const ComposedTensors tensors(state.begin(), state.end());
      std::vector<HeadMatrices> layers;
      for (int l = 0; l < model.layers(); ++l)
        layers.push_back(matricesOfLayer(model, tensors, l));
      CompositionTable table(result);
      for (int to = 1; to < model.layers(); ++to)
        for (int from = 0; from < to; ++from)
          table.add(layers[from], from, layers[to], to);
    });
    return result;
  });
}

std::vector<ComposedPair> strongestPairs(const HeadComposition& composition, CompositionInput input,
                                         std::size_t count) {
  std::vector<ComposedPair> pairs;
  const auto& scores = composition.of(input);
  const int layers = static_cast<int>(composition.heads.size());
  for (int to = 1; to < layers; ++to)
    for (int t = 0; t < composition.heads[to]; ++t)
      for (int from = 0; from < to; ++from)
        for (int f = 0; f < composition.heads[from]; ++f)
          pairs.push_back(
              {from, f, to, t,
               scores[static_cast<std::size_t>(composition.index(to, t)) * composition.total() +
                      composition.index(from, f)]});
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const ComposedPair& a, const ComposedPair& b) { return a.score > b.score; });
  if (pairs.size() > count) pairs.resize(count);
  return pairs;
}

std::string compositionTitle(CompositionInput input) {
  return input == CompositionInput::Query ? tr("Q-composition")
         : input == CompositionInput::Key ? tr("K-composition")
                                          : tr("V-composition");
}

std::string compositionCsv(const HeadComposition& composition) {
  std::string csv = "from_layer,from_head,to_layer,to_head,query,key,value\n";
  const int layers = static_cast<int>(composition.heads.size());
  for (int to = 1; to < layers; ++to)
    for (int t = 0; t < composition.heads[to]; ++t)
      for (int from = 0; from < to; ++from)
        for (int f = 0; f < composition.heads[from]; ++f) {
          const auto at = static_cast<std::size_t>(composition.index(to, t)) * composition.total() +
                          composition.index(from, f);
          for (const int number : {from, f, to, t})
            csv += std::to_string(number) + ",";
          csv += numberText(composition.query[at]) + "," + numberText(composition.key[at]) + "," +
                 numberText(composition.value[at]) + "\n";
        }
  return csv;
}

}  // namespace headlight
