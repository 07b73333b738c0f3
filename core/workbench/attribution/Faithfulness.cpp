// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/attribution/Faithfulness.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/attention/base/MixedPrecision.h"
#include "core/base/Random.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/workbench/session/ModelCopy.h"
#include "core/workbench/session/ModelPass.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight {
namespace {

constexpr std::int64_t kVariantsAtOnce = 8;

using Order = std::vector<int>;

Order fallingOrder(const std::vector<float>& values) {
  const auto heatmap = [&](int patch) {
    return std::isnan(values[patch]) ? -std::numeric_limits<float>::infinity() : values[patch];
  };
  Order order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return heatmap(a) > heatmap(b); });
  return order;
}

Order randomOrder(int patches, RandomStream& random) {
  Order order(patches);
  std::iota(order.begin(), order.end(), 0);
  for (int i = patches - 1; i > 0; --i)
    std::swap(order[i], order[random.below(i + 1)]);
  return order;
}

/// How many patches are gone after each step, 0 first.
std::vector<int> countsOf(int patches, int steps) {
  const int most = steps > 0 ? std::min(steps, patches) : patches;
  std::vector<int> counts;
  for (int s = 0; s <= most; ++s)
    counts.push_back(static_cast<int>(std::int64_t{patches} * s / most));
  return counts;
}

double areaUnder(const std::vector<double>& shares, const std::vector<double>& values) {
  double area = 0;
  for (std::size_t i = 1; i < shares.size(); ++i)
    area += (shares[i] - shares[i - 1]) * (values[i] + values[i - 1]) / 2;
  return area;
}

/// Passes of one image with patches of it taken out or put in.
class PatchRemoval {
 public:
  PatchRemoval(Model& model, at::Tensor image, int classIndex, PassSteps& steps)
      : m_model(model), m_image(std::move(image)), m_class(classIndex), m_steps(steps) {}

  FaithfulnessCurve curve(const Grid& grid, const Order& order, const std::vector<int>& counts,
                          bool insert) {
    FaithfulnessCurve result;
    at::Tensor now = insert ? at::zeros_like(m_image) : m_image.clone();
    std::vector<at::Tensor> waiting;
    int gone = 0;
    for (const int count : counts) {
      for (; gone < count; ++gone)
        setPatch(now, grid, order[gone], insert);
      waiting.push_back(now.clone());
      if (waiting.size() == kVariantsAtOnce) flush(waiting, result);
    }
    flush(waiting, result);
    return result;
  }

 private:
  void setPatch(at::Tensor& image, const Grid& grid, int patch, bool insert) const {
    const std::int64_t tall = image.size(2), wide = image.size(3);
    const std::int64_t row = patch / grid.cols, col = patch % grid.cols;
    const std::int64_t top = row * tall / grid.rows, left = col * wide / grid.cols;
    const auto cell = [&](const at::Tensor& of) {
      return of.slice(2, top, (row + 1) * tall / grid.rows)
          .slice(3, left, (col + 1) * wide / grid.cols);
    };
    insert ? cell(image).copy_(cell(m_image)) : cell(image).zero_();
  }

  void flush(std::vector<at::Tensor>& waiting, FaithfulnessCurve& result) {
    if (waiting.empty()) return;
    m_steps();
    const at::Tensor logits = m_model.forward(at::cat(waiting, 0)).to(at::kDouble);
    const at::Tensor shares =
        (hasSigmoidScores(m_model.config()) ? logits.sigmoid() : logits.softmax(1))
            .select(1, m_class);
    const at::Tensor host = shares.to(at::kCPU).contiguous();
    result.probability.insert(result.probability.end(), host.data_ptr<double>(),
                              host.data_ptr<double>() + host.numel());
    waiting.clear();
  }

  Model& m_model;
  at::Tensor m_image;
  int m_class;
  PassSteps& m_steps;
};

void checkHeatmaps(const std::vector<AskedHeatmap>& heatmaps, const RawImages& image) {
  const auto refuse = [](const std::string& message) {
    throw Failure({ErrorCode::InvalidArgument, message, "faithfulness"});
  };
  if (heatmaps.empty()) refuse(tr("no heatmap to measure"));
  for (const AskedHeatmap& heatmap : heatmaps) {
    if (static_cast<int>(heatmap.values.size()) != heatmap.grid.patches() || heatmap.values.empty())
      refuse(tr("the values of ") + heatmap.title + tr(" do not match the number of patches"));
    if (heatmap.grid.rows > image.height || heatmap.grid.cols > image.width)
      refuse(tr("the grid of ") + heatmap.title + tr(" is finer than the image"));
  }
}

Faithfulness measured(PatchRemoval& removal, const Grid& grid, const std::vector<Order>& orders,
                      int steps) {
  const std::vector<int> counts = countsOf(grid.patches(), steps);
  Faithfulness result;
  for (const int count : counts)
    result.shares.push_back(static_cast<double>(count) / grid.patches());
  for (const bool insert : {false, true}) {
    FaithfulnessCurve& mean = insert ? result.insertion : result.deletion;
    mean.probability.assign(counts.size(), 0.0);
    for (const Order& order : orders) {
      const FaithfulnessCurve one = removal.curve(grid, order, counts, insert);
      for (std::size_t i = 0; i < counts.size(); ++i)
        mean.probability[i] += one.probability[i] / static_cast<double>(orders.size());
    }
    mean.area = areaUnder(result.shares, mean.probability);
  }
  return result;
}

/// Passes of so many images that measured() takes.
std::int64_t passesOf(const Grid& grid, int steps, std::int64_t orders) {
  const auto images = static_cast<std::int64_t>(countsOf(grid.patches(), steps).size());
  return 2 * orders * ((images + kVariantsAtOnce - 1) / kVariantsAtOnce);
}

std::string curveLines(const Faithfulness& of, const char* name, const FaithfulnessCurve& curve) {
  const std::string start = csvQuoted(of.title) + "," + name + ",";
  std::string csv;
  for (std::size_t i = 0; i < of.shares.size(); ++i)
    csv += start + numberText(of.shares[i]) + "," + numberText(curve.probability[i]) + "\n";
  return csv + start + "area," + numberText(curve.area) + "\n";
}

}  // namespace

Result<FaithfulnessTable> faithfulness(InferenceSession& session, const RawImages& image,
                                       const MaskScheme& masks,
                                       const std::vector<AskedHeatmap>& heatmaps,
                                       const FaithfulnessOptions& options,
                                       const ProgressCallback& progress, std::stop_token stop) {
  return guarded("faithfulness", [&] {
    const ModelInfo& info = session.info();
    requireClassifier(info, "faithfulness", "faithfulness");
    checkHeatmaps(heatmaps, image);
    const Grid first = heatmaps.front().grid;
    const int draws = std::max(options.randomOrders, 1);
    std::int64_t passes = passesOf(first, options.steps, draws);
    for (const AskedHeatmap& heatmap : heatmaps)
      passes += passesOf(heatmap.grid, options.steps, 1);
    FaithfulnessTable table;
    const at::NoGradGuard noGrad;
    at::init_num_threads();  // counts are per thread
    LoadedModel own = copyModel(session);
    Model& model = *own.model;
    const at::Tensor input = modelInput(info, image);
    model.setMasks(masks);
    PassSteps steps("removing patches", progress, stop, passes + 1);
    steps();
    const std::vector<float> logits = plainValues(model.forward(input)[0]);
    const auto top = rankClasses(logits, info.classNames, static_cast<int>(logits.size()));
    table.classIndex = options.classIndex < 0 ? top.front().index : options.classIndex;
    const auto found = std::find_if(top.begin(), top.end(), [&](const ClassScore& score) {
      return score.index == table.classIndex;
    });
    if (found == top.end())
      throw Failure({ErrorCode::InvalidArgument, tr("no class ") + std::to_string(table.classIndex),
                     "class"});
    table.className = found->name;
    PatchRemoval removal(model, input, table.classIndex, steps);
    for (const AskedHeatmap& heatmap : heatmaps) {
      table.methods.push_back(
          measured(removal, heatmap.grid, {fallingOrder(heatmap.values)}, options.steps));
      table.methods.back().title = heatmap.title;
    }
    RandomStream random(streamKey({options.seed}));
    std::vector<Order> orders;
    for (int i = 0; i < draws; ++i)
      orders.push_back(randomOrder(first.patches(), random));
    table.random = measured(removal, first, orders, options.steps);
    table.random.title = "random order";
    return table;
  });
}

std::string faithfulnessCsv(const FaithfulnessTable& table) {
  std::string csv = "method,curve,share,probability\n";
  std::vector<Faithfulness> all = table.methods;
  all.push_back(table.random);
  for (const Faithfulness& one : all)
    csv += curveLines(one, "deletion", one.deletion) + curveLines(one, "insertion", one.insertion);
  return csv;
}

}  // namespace headlight
