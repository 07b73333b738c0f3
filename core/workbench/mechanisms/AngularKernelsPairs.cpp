// SPDX-License-Identifier: GPL-3.0-or-later

// AngularKernels.h: what a model compares in an image, and what is read off it.

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/attention/base/QueryKeyCapture.h"
#include "core/attention/linear/LinearKernels.h"
#include "core/base/Translation.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/mechanisms/AngularKernels.h"
#include "core/workbench/session/MapRendering.h"
#include "core/workbench/session/ModelAccess.h"
#include "core/workbench/session/ModelPass.h"

namespace headlight {
namespace {

constexpr int kFewestBins = 4, kMostBins = 3600;
constexpr std::int64_t kFewestPairs = 5;  ///< of a bin that has a mean

LayerPairs layerPairs(int layer, const Grid& grid, const QueryKeyCapture& compared) {
  LayerPairs pairs;
  pairs.layer = layer;
  pairs.grid = grid;
  pairs.groups = static_cast<int>(compared.queries.size(0));
  pairs.heads = static_cast<int>(compared.queries.size(1));
  pairs.queries = static_cast<int>(compared.queries.size(2));
  pairs.keys = static_cast<int>(compared.keys.size(2));
  pairs.width = static_cast<int>(compared.queries.size(3));
  pairs.tokens = pairs.groups == 1 && pairs.queries == grid.tokens() && pairs.keys == grid.tokens();
  pairs.q = plainValues(compared.queries);
  pairs.k = plainValues(compared.keys);
  return pairs;
}

std::string pairsNote(const ImagePairs& pairs) {
  std::string note;
  const auto any = [&](auto what) {
    return std::any_of(pairs.layers.begin(), pairs.layers.end(), what);
  };
  if (any([](const LayerPairs& one) { return one.groups > 1; })) note = "pairs within windows";
  if (any([](const LayerPairs& one) { return one.groups == 1 && !one.tokens; }))
    note += std::string(note.empty() ? "" : "; ") + "queries or keys are pooled";
  if (static_cast<int>(pairs.layers.size()) < pairs.modelLayers)
    note += std::string(note.empty() ? "" : "; ") + std::to_string(pairs.layers.size()) + " of " +
            std::to_string(pairs.modelLayers) + " layers compare the tokens of an image";
  return note;
}

/// Queries or keys of one head and group, [T, d] in double.
at::Tensor headRows(const std::vector<float>& values, const LayerPairs& pairs, int rows, int group,
                    int head) {
  const std::size_t size = static_cast<std::size_t>(rows) * pairs.width;
  const std::size_t begin = (static_cast<std::size_t>(group) * pairs.heads + head) * size;
  return at::from_blob(const_cast<float*>(values.data() + begin), {rows, pairs.width}, at::kFloat)
      .to(at::kDouble);
}

at::Tensor anglesOf(const at::Tensor& q, const at::Tensor& k) {
  const auto unit = [](const at::Tensor& x) {
    return x / x.norm(2, {-1}, /*keepdim=*/true).clamp_min(1e-12);
  };
  return unit(q).matmul(unit(k).t()).clamp(-1, 1).acos().contiguous();
}

/// The weights of a kernel, [Tq, Tk], without a token's own part.
at::Tensor kernelWeights(const std::string& name, const at::Tensor& q, const at::Tensor& k) {
  if (name == "attention")
    return (q.matmul(k.t()) / std::sqrt(static_cast<double>(q.size(1)))).softmax(-1).contiguous();
  const KernelFeatures features = linearKernel(name).features(q, k);
  return features.query.matmul(features.key.transpose(-2, -1)).contiguous();
}

std::size_t binOf(double angle, std::size_t bins) {
  const auto bin = static_cast<std::int64_t>(angle / std::numbers::pi * static_cast<double>(bins));
  return static_cast<std::size_t>(
      std::clamp<std::int64_t>(bin, 0, static_cast<std::int64_t>(bins) - 1));
}

/// Sums of a kernel's values, bin by bin.
struct BinSums {
  std::string name;
  std::vector<double> sums, squares;

  void add(const std::vector<std::size_t>& bins, const double* weights) {
    for (std::size_t i = 0; i < bins.size(); ++i) {
      sums[bins[i]] += weights[i];
      squares[bins[i]] += weights[i] * weights[i];
    }
  }
};

KernelBins binsOf(const BinSums& sums, const std::vector<std::int64_t>& counts) {
  KernelBins bins{sums.name, {}, {}};
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t b = 0; b < counts.size(); ++b) {
    const bool enough = counts[b] >= kFewestPairs;
    const double mean = sums.sums[b] / static_cast<double>(counts[b]);
    const double square = sums.squares[b] / static_cast<double>(counts[b]);
    bins.mean.push_back(enough ? mean : kNone);
    bins.deviation.push_back(enough ? std::sqrt(std::max(0.0, square - mean * mean)) : kNone);
  }
  return bins;
}

std::vector<double> sharesOf(const std::vector<std::int64_t>& counts, std::int64_t pairs) {
  std::vector<double> shares;
  for (const std::int64_t count : counts)
    shares.push_back(static_cast<double>(count) /
                     static_cast<double>(std::max<std::int64_t>(1, pairs)));
  return shares;
}

/// Adds up heads, one after the other.
class AngleSums {
 public:
  explicit AngleSums(int bins) : m_counts(bins) {
    for (const KernelInfo& kernel : shownKernels())
      if (!kernel.ofAngle)
        m_kernels.push_back({kernel.name, std::vector<double>(bins), std::vector<double>(bins)});
  }

  void add(const at::Tensor& q, const at::Tensor& k) {
    const at::Tensor angles = anglesOf(q, k);
    const double* values = angles.data_ptr<double>();
    std::vector<std::size_t> bins(static_cast<std::size_t>(angles.numel()));
    for (std::size_t i = 0; i < bins.size(); ++i) {
      bins[i] = binOf(values[i], m_counts.size());
      ++m_counts[bins[i]];
      m_sum += values[i];
      m_squares += values[i] * values[i];
    }
    m_pairs += static_cast<std::int64_t>(bins.size());
    for (BinSums& kernel : m_kernels)
      kernel.add(bins, kernelWeights(kernel.name, q, k).data_ptr<double>());
  }

  void finish(AngleTable& table) const {
    table.pairs = m_pairs;
    table.mean = m_sum / static_cast<double>(m_pairs);
    table.deviation = std::sqrt(
        std::max(0.0, m_squares / static_cast<double>(m_pairs) - table.mean * table.mean));
    table.share = sharesOf(m_counts, m_pairs);
    for (const BinSums& kernel : m_kernels)
      table.kernels.push_back(binsOf(kernel, m_counts));
  }

 private:
  std::vector<std::int64_t> m_counts;
  std::vector<BinSums> m_kernels;
  std::int64_t m_pairs = 0;
  double m_sum = 0, m_squares = 0;
};

[[noreturn]] void refuseAngles(const std::string& where, const std::string& message) {
  throw Failure({ErrorCode::InvalidArgument, message, where});
}

void checkOptions(const ImagePairs& pairs, const AngleOptions& options) {
  if (options.bins < kFewestBins || options.bins > kMostBins)
    refuseAngles("bins", "are " + std::to_string(kFewestBins) + " to " + std::to_string(kMostBins) +
                             ", not " + std::to_string(options.bins));
  if (options.layer < -1 || options.layer >= pairs.modelLayers)
    refuseAngles("layer", tr("no layer ") + std::to_string(options.layer) + tr("; the model has ") +
                              std::to_string(pairs.modelLayers) + tr(", counted from 0"));
  if (options.token < -1 || options.token >= pairs.grid.tokens())
    refuseAngles("token", tr("no token ") + std::to_string(options.token) + tr("; the model has ") +
                              std::to_string(pairs.grid.tokens()));
  int most = 0;
  bool compares = false;
  for (const LayerPairs& layer : pairs.layers)
    if (options.layer < 0 || layer.layer == options.layer) {
      compares = true;
      most = std::max(most, layer.heads);
    }
  if (!compares)
    refuseAngles("layer", "layer " + std::to_string(options.layer) +
                              tr(" does not compare the tokens of an image with each other"));
  if (options.head < -1 || options.head >= most)
    refuseAngles("head", tr("no head ") + std::to_string(options.head) + tr("; heads are 0 to ") +
                             std::to_string(most - 1) + tr(", or -1 for all"));
}

std::string angleSubject(const AngleOptions& options) {
  if (options.layer < 0 && options.head < 0) return "all layers and heads";
  const std::string head = options.head < 0 ? "all heads" : "head " + std::to_string(options.head);
  return (options.layer < 0 ? "all layers" : "layer " + std::to_string(options.layer)) + ", " +
         head;
}

/// For the requested ones.
template <typename Use>
void forEachHead(const ImagePairs& pairs, const AngleOptions& options, const Use& use) {
  for (const LayerPairs& layer : pairs.layers)
    for (int g = 0; g < layer.groups; ++g)
      for (int h = 0; h < layer.heads; ++h)
        if ((options.layer < 0 || layer.layer == options.layer) &&
            (options.head < 0 || h == options.head))
          use(layer, g, h);
}

/// The row of a token of the model's grid; −1: none.
int tokenOfPairs(const ImagePairs& pairs, const LayerPairs& layer, int token) {
  return token < 0 || !layer.tokens ? -1 : queryInLayer(token, pairs.grid, layer.grid);
}

void countToken(AngleTable& table) {
  if (table.tokenAngles.empty()) return;
  std::vector<std::int64_t> counts(table.share.size());
  for (const double angle : table.tokenAngles)
    ++counts[binOf(angle, counts.size())];
  table.tokenShare = sharesOf(counts, static_cast<std::int64_t>(table.tokenAngles.size()));
}

}  // namespace

Result<ImagePairs> loadPairs(InferenceSession& session, const RawImages& image,
                             const MaskScheme& masks, const ProgressCallback& progress,
                             std::stop_token stop) {
  return guarded("angles", [&] {
    ImagePairs pairs;
    withModel(session, [&](Model& model) {
      model.setMasks(masks);
      pairs.grid = session.info().grid;
      pairs.modelLayers = model.layers();
      PassSteps step("comparing queries and keys", progress, stop, model.layers());
      at::Tensor tokens = model.embed(modelInput(session.info(), image));
      for (int l = 0; l < model.layers(); ++l) {
        QueryKeyHook watch;
        tokens = model.block(l, tokens, nullptr);
        if (const QueryKeyCapture compared = watch.take(); compared.queries.defined())
          pairs.layers.push_back(layerPairs(l, model.grid(l), compared));
        step();
      }
    });
    if (pairs.layers.empty())
      refuseAngles("angles", tr("this mechanism does not compare queries with keys, like AFT"));
    pairs.note = pairsNote(pairs);
    return pairs;
  });
}

Result<AngleTable> angleTable(const ImagePairs& pairs, const AngleOptions& options,
                              std::stop_token stop) {
  return guarded("angles", [&]() -> Result<AngleTable> {
    checkOptions(pairs, options);
    const at::NoGradGuard noGrad;
    AngleTable table;
    table.subject = angleSubject(options);
    table.note = pairs.note;
    AngleSums sums(options.bins);
    forEachHead(pairs, options, [&](const LayerPairs& layer, int group, int head) {
      throwIfPassStopped(stop);
      sums.add(headRows(layer.q, layer, layer.queries, group, head),
               headRows(layer.k, layer, layer.keys, group, head));
    });
    sums.finish(table);
    return withToken(std::move(table), pairs, options);
  });
}

Result<AngleTable> withToken(AngleTable table, const ImagePairs& pairs,
                             const AngleOptions& options) {
  return guarded("angles", [&] {
    checkOptions(pairs, options);
    const at::NoGradGuard noGrad;
    table.tokenAngles.clear();
    table.tokenShare.clear();
    table.tokenText = options.token < 0 ? "" : tokenText(options.token, pairs.grid);
    bool without = false;
    forEachHead(pairs, options, [&](const LayerPairs& layer, int group, int head) {
      const int token = tokenOfPairs(pairs, layer, options.token);
      without = without || token < 0;
      if (token < 0) return;
      const at::Tensor angles =
          anglesOf(headRows(layer.q, layer, layer.queries, group, head).narrow(0, token, 1),
                   headRows(layer.k, layer, layer.keys, group, head));
      table.tokenAngles.insert(table.tokenAngles.end(), angles.data_ptr<double>(),
                               angles.data_ptr<double>() + angles.numel());
    });
    countToken(table);
    if (options.token >= 0 && without)
      table.tokenNote = (table.tokenAngles.empty() ? "no layer" : "not every layer") +
                        std::string(" has the keys of the ") + table.tokenText + " on their own";
    return table;
  });
}

}  // namespace headlight
