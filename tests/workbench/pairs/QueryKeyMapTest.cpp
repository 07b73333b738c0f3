// SPDX-License-Identifier: GPL-3.0-or-later

// The joint map of queries and keys beside plain loops: its principal components, the alignment and
// the softmax that it leaves as it is, ranks, what is drawn, windows, and what is refused.

#include "core/workbench/pairs/QueryKeyMap.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/models/Registry.h"
#include "core/workbench/pairs/JointPlane.h"
#include "core/workbench/pairs/KeyAlignment.h"
#include "core/workbench/pairs/QueryKeyFigure.h"
#include "core/workbench/pairs/QueryKeyReader.h"
#include "core/workbench/pairs/QueryKeySample.h"
#include "core/workbench/pairs/RankCorrelation.h"
#include "tests/workbench/ExplanationSupport.h"
#include "tests/workbench/NaiveVit.h"

namespace headlight {
namespace {

using PlainRow = std::vector<double>;
using PlainRows = std::vector<PlainRow>;

PlainRows plainRows(const at::Tensor& tensor) {
  PlainRows rows;
  for (std::int64_t i = 0; i < tensor.size(0); ++i) {
    rows.emplace_back();
    for (std::int64_t j = 0; j < tensor.size(1); ++j)
      rows.back().push_back(tensor[i][j].item<double>());
  }
  return rows;
}

double plainDot(const PlainRow& a, const PlainRow& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

PlainRow plainMean(const PlainRows& rows) {
  PlainRow mean(rows[0].size(), 0.0);
  for (const PlainRow& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      mean[i] += row[i] / static_cast<double>(rows.size());
  return mean;
}

struct PlainComponents {
  PlainRows axes;
  PlainRow variances;
  double whole = 0;
};

/// The first two, by power iteration with deflation.
PlainComponents plainComponents(PlainRows rows) {
  const PlainRow mean = plainMean(rows);
  const std::size_t width = mean.size();
  PlainRows covariance(width, PlainRow(width, 0.0));
  for (PlainRow& row : rows) {
    for (std::size_t i = 0; i < width; ++i)
      row[i] -= mean[i];
    for (std::size_t i = 0; i < width; ++i)
      for (std::size_t j = 0; j < width; ++j)
        covariance[i][j] += row[i] * row[j] / static_cast<double>(rows.size());
  }
  PlainComponents result;
  for (std::size_t i = 0; i < width; ++i)
    result.whole += covariance[i][i];
  for (int component = 0; component < 2; ++component) {
    PlainRow axis(width);
    for (std::size_t i = 0; i < width; ++i)
      axis[i] = 1.0 + 0.37 * static_cast<double>(i * i % 7);
    double variance = 0;
    for (int step = 0; step < 20'000; ++step) {
      PlainRow next(width, 0.0);
      for (std::size_t i = 0; i < width; ++i)
        next[i] = plainDot(covariance[i], axis);
      variance = std::sqrt(plainDot(next, next));
      for (std::size_t i = 0; i < width; ++i)
        axis[i] = next[i] / variance;
    }
    for (std::size_t i = 0; i < width; ++i)
      for (std::size_t j = 0; j < width; ++j)
        covariance[i][j] -= variance * axis[i] * axis[j];
    result.axes.push_back(axis);
    result.variances.push_back(variance);
  }
  return result;
}

at::Tensor drawnRowsOf(std::int64_t count, std::int64_t width, int seed) {
  at::manual_seed(seed);
  const at::Tensor spread = at::arange(1, width + 1, at::kDouble);
  return at::randn({count, width}, at::kDouble) * spread + 3;
}

TEST(JointPlane, IsThePlaneOfPowerIteration) {
  const at::Tensor queries = drawnRowsOf(23, 5, 1), keys = drawnRowsOf(17, 5, 2);
  const JointPlane plane = jointPlane(queries, keys);
  PlainRows all = plainRows(queries);
  for (const PlainRow& row : plainRows(keys))
    all.push_back(row);
  const PlainComponents naive = plainComponents(all);
  const PlainRow mean = plainMean(all);
  const PlainRows found = plainRows(at::cat({plane.queries, plane.keys}, 0));
  for (std::size_t c = 0; c < 2; ++c) {
    EXPECT_NEAR(plane.shares[c], naive.variances[c] / naive.whole, 1e-9);
    const PlainRow& axis = naive.axes[c];
    const auto peak = std::max_element(
        axis.begin(), axis.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    const double sign = *peak < 0 ? -1 : 1;
    for (std::size_t i = 0; i < all.size(); ++i)
      EXPECT_NEAR(found[i][c], sign * (plainDot(all[i], axis) - plainDot(mean, axis)), 1e-6);
  }
}

TEST(JointPlane, OneDimensionAndOnePlace) {
  const JointPlane line = jointPlane(drawnRowsOf(4, 1, 3), drawnRowsOf(4, 1, 4));
  EXPECT_NEAR(line.shares[0], 1, 1e-12);
  EXPECT_EQ(line.shares[1], 0);
  EXPECT_EQ(line.queries[2][1].item<double>(), 0);
  const at::Tensor same = at::full({3, 4}, 0.3, at::kDouble);
  const auto refused = guarded("plane", [&] { return jointPlane(same, same).shares[0]; });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
}

PlainRow plainSoftmax(const PlainRow& query, const PlainRows& keys) {
  PlainRow weights;
  double most = -1e300, sum = 0;
  for (const PlainRow& key : keys)
    most = std::max(most, plainDot(query, key) / std::sqrt(double(query.size())));
  for (const PlainRow& key : keys) {
    weights.push_back(std::exp(plainDot(query, key) / std::sqrt(double(query.size())) - most));
    sum += weights.back();
  }
  for (double& weight : weights)
    weight /= sum;
  return weights;
}

TEST(KeyAlignment, LeavesTheSoftmaxAsItIs) {
  const at::Tensor queries = drawnRowsOf(9, 4, 5) * 0.3, keys = drawnRowsOf(11, 4, 6) * 0.2;
  for (const double scale : {spreadScale(queries, keys), 0.2, 5.0}) {
    const KeyAlignment aligned = alignKeys(queries, keys, scale);
    const PlainRows q = plainRows(queries), k = plainRows(keys),
                    movedQ = plainRows(aligned.queries(queries)),
                    movedK = plainRows(aligned.keys(keys));
    const PlainRow centerQ = plainMean(movedQ), centerK = plainMean(movedK);
    for (std::size_t i = 0; i < centerQ.size(); ++i)
      EXPECT_NEAR(centerQ[i], centerK[i], 1e-12);
    for (std::size_t i = 0; i < q.size(); ++i) {
      const PlainRow before = plainSoftmax(q[i], k), after = plainSoftmax(movedQ[i], movedK);
      for (std::size_t j = 0; j < k.size(); ++j)
        EXPECT_NEAR(after[j], before[j], 1e-12);
    }
  }
}

double plainSpread(const PlainRows& rows) {
  const PlainRow mean = plainMean(rows);
  double sum = 0;
  for (const PlainRow& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      sum += (row[i] - mean[i]) * (row[i] - mean[i]) / static_cast<double>(rows.size());
  return sum;
}

TEST(KeyAlignment, MakesSpreadsEqual) {
  const at::Tensor queries = drawnRowsOf(9, 4, 5) * 7, keys = drawnRowsOf(11, 4, 6);
  const KeyAlignment aligned = alignKeys(queries, keys, spreadScale(queries, keys));
  const double ofQueries = plainSpread(plainRows(aligned.queries(queries)));
  EXPECT_NEAR(plainSpread(plainRows(aligned.keys(keys))), ofQueries, 1e-9 * ofQueries);
  EXPECT_EQ(spreadScale(at::ones({2, 3}, at::kDouble), keys.slice(1, 0, 3)), 1);
}

TEST(KeyAlignment, TheCorrelationChoosesOfItsCandidates) {
  const at::Tensor queries = drawnRowsOf(30, 4, 7) * 2, keys = drawnRowsOf(30, 4, 8) * 0.5;
  const at::Tensor products = queries.mm(keys.t());
  std::vector<ComparedPair> pairs;
  for (std::int64_t i = 0; i < 30; ++i)
    for (std::int64_t j = 0; j < 30; ++j)
      pairs.push_back({i, j, products[i][j].item<double>(), 0});
  double best = 0, least = 2;
  for (const double scale : {0.2, 0.4, 0.8, 1.0, 1.25, 2.5, 5.0}) {
    const KeyAlignment aligned = alignKeys(queries, keys, scale);
    const PlainRows q = plainRows(aligned.queries(queries)), k = plainRows(aligned.keys(keys));
    PlainRow distances;
    for (const ComparedPair& pair : pairs) {
      double sum = 0;
      for (std::size_t i = 0; i < 4; ++i)
        sum += std::pow(q[pair.query][i] - k[pair.key][i], 2);
      distances.push_back(std::sqrt(sum));
    }
    PlainRow sorted = distances;
    std::sort(sorted.begin(), sorted.end());
    const double bound = sorted[10];  // of 900 pairs the 0.5th percentile is the 4th
    double whole = 0, meanX = 0, meanY = 0, xy = 0, xx = 0, yy = 0;
    const auto each = [&](const auto& use) {
      for (std::size_t p = 0; p < pairs.size(); ++p)
        if (distances[p] < bound)
          use(pairs[p].product, distances[p], std::pow(bound - distances[p], 2));
    };
    each([&](double x, double y, double w) { whole += w, meanX += w * x, meanY += w * y; });
    meanX /= whole, meanY /= whole;
    each([&](double x, double y, double w) {
      xy += w * (x - meanX) * (y - meanY);
      xx += w * (x - meanX) * (x - meanX);
      yy += w * (y - meanY) * (y - meanY);
    });
    if (xy / std::sqrt(xx * yy) < least) least = xy / std::sqrt(xx * yy), best = scale;
  }
  EXPECT_EQ(correlationScale(queries, keys, pairs), best);
}

TEST(RankCorrelation, TiesHaveTheirMeanRank) {
  EXPECT_NEAR(rankCorrelation({1, 2, 3, 4}, {10, 200, 3000, 40000}), 1, 1e-15);
  EXPECT_NEAR(rankCorrelation({1, 2, 3, 4}, {4, 3, 2, 1}), -1, 1e-15);
  // Ranks 0, 1½, 1½, 3 and 0, 1, 2, 3: 4½ / √(4½ · 5).
  EXPECT_NEAR(rankCorrelation({1, 5, 5, 9}, {1, 2, 3, 4}), 4.5 / std::sqrt(22.5), 1e-15);
  EXPECT_TRUE(std::isnan(rankCorrelation({1}, {1})));
  EXPECT_TRUE(std::isnan(rankCorrelation({2, 2, 2}, {1, 2, 3})));
  EXPECT_TRUE(std::isnan(rankCorrelation({1, NAN, 2}, {1, 2, 3})));
}

TEST(QueryKeySample, IsAFunctionOfTheSeed) {
  QueryKeyOptions options;
  options.images = 5;
  options.tokens = 4;
  const auto first = drawnImages(100, options);
  EXPECT_EQ(first.size(), 5u);
  EXPECT_TRUE(std::is_sorted(first.begin(), first.end()));
  EXPECT_EQ(drawnImages(100, options), first);
  options.seed = 1;
  EXPECT_NE(drawnImages(100, options), first);
  EXPECT_EQ(drawnImages(3, options), (std::vector<std::int64_t>{0, 1, 2}));
  std::vector<std::int64_t> tokens(17);
  std::iota(tokens.begin(), tokens.end(), std::int64_t{0});
  const auto rows = drawnRows(tokens, /*prefix=*/1, /*image=*/7, options);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0], 0);
  EXPECT_EQ(std::set<std::int64_t>(rows.begin(), rows.end()).size(), 4u);
  EXPECT_NE(drawnRows(tokens, 1, 8, options), rows);
  options.tokens = 2000;
  options.images = 10'000;
  EXPECT_EQ(drawnImages(100, options).size(), 10u);  // 40,000 points
}

Image seededImage(int seed, int side = 24) {
  at::manual_seed(seed);
  const at::Tensor pixels = at::randint(0, 256, {side * side * 3}, at::kInt);
  auto bytes = std::make_shared<std::vector<std::uint8_t>>();
  for (std::int64_t i = 0; i < pixels.size(0); ++i)
    bytes->push_back(static_cast<std::uint8_t>(pixels[i].item<int>()));
  return {side, side, bytes};
}

ImageSource seededImages(int count) {
  ImageSource source;
  source.count = count;
  source.read = [](std::int64_t index) -> Result<SourceImage> {
    return SourceImage{seededImage(static_cast<int>(index) + 1), static_cast<int>(index) % 3};
  };
  return source;
}

struct MappedVit {
  ModelConfig config = microVit();
  std::unique_ptr<InferenceSession> session = explanationSession(config);
  MaskScheme masks = explanationMasks(*session);

  Result<QueryKeyMap> map(const QueryKeyOptions& options, int images = 3) const {
    return mapQueryKeys(*session, seededImages(images), masks, options);
  }
};

/// Queries and keys of a head by the weights' names.
std::pair<PlainRows, PlainRows> namedRows(const Model& model, const at::Tensor& entering, int layer,
                                          int head, int heads) {
  std::map<std::string, at::Tensor> weights;
  for (const auto& [name, tensor] : model.state())
    weights[name] = tensor.detach().to(at::kDouble);
  const std::string name = "blocks." + std::to_string(layer) + ".attn.qkv.";
  const PlainRows w = plainRows(weights.at(name + "weight")), x = plainRows(entering);
  const at::Tensor b = weights.at(name + "bias");
  const std::size_t width = x[0].size(), each = width / static_cast<std::size_t>(heads);
  std::pair<PlainRows, PlainRows> rows;
  for (const PlainRow& token : x)
    for (const bool key : {false, true}) {
      PlainRow row;
      for (std::size_t f = 0; f < each; ++f) {
        const std::size_t line = (key ? width : 0) + static_cast<std::size_t>(head) * each + f;
        row.push_back(plainDot(w[line], token) + b[static_cast<std::int64_t>(line)].item<double>());
      }
      (key ? rows.second : rows.first).push_back(row);
    }
  return rows;
}

TEST(QueryKeyMap, ReadsQueriesKeysAndWeights) {
  const at::NoGradGuard noGrad;
  const MappedVit vit;
  const RawImages image = explanationImage(vit.config);
  withModel(*vit.session, [&](Model& model) {
    model.setMasks(vit.masks);
    const QueryKeyRows rows = readQueryKeys(model, explanationTensor(image), 1, 2);
    const NaiveVit naive(model);
    const auto pass = naive.pass(explanationTensor(image));
    const auto [q, k] = namedRows(model, pass.entering[1], 1, 2, naive.heads);
    ASSERT_EQ(rows.queries.count(), 10);
    const PlainRows foundQ = plainRows(rows.queries.values), foundK = plainRows(rows.keys.values);
    for (std::size_t t = 0; t < 10; ++t)
      for (std::size_t f = 0; f < q[t].size(); ++f) {
        EXPECT_NEAR(foundQ[t][f], q[t][f], 1e-3);
        EXPECT_NEAR(foundK[t][f], k[t][f], 1e-3);
      }
    EXPECT_LT((rows.weights - pass.maps[1][2]).abs().max().item<double>(), 1e-4);
  });
}

TEST(QueryKeyMap, AgreesWithItsParts) {
  const MappedVit vit;
  QueryKeyOptions options;
  options.layer = 1;
  options.tokens = 6;
  const QueryKeyMap map = valueOrThrow(vit.map(options));
  ASSERT_EQ(map.images.size(), 3u);
  ASSERT_EQ(map.points.size(), 36u);
  EXPECT_EQ(map.pairs, 3 * 6 * 6);
  EXPECT_EQ(map.layer, 1);
  EXPECT_GT(map.shares[0], map.shares[1]);
  EXPECT_LE(map.shares[0] + map.shares[1], 1 + 1e-12);
  EXPECT_TRUE(std::isfinite(map.space.product));
  EXPECT_TRUE(std::isfinite(map.plane.weight));
  double x = 0, y = 0;
  int queries = 0;
  for (const QueryKeyPoint& point : map.points) {
    x += point.x, y += point.y;
    queries += point.isKey ? 0 : 1;
    EXPECT_GT(point.norm, 0);
    EXPECT_EQ(point.row < 0, point.token == 0);
  }
  EXPECT_EQ(queries, 18);
  EXPECT_NEAR(x, 0, 1e-9);
  EXPECT_NEAR(y, 0, 1e-9);
  const QueryKeyMap again = valueOrThrow(vit.map(options));
  for (std::size_t i = 0; i < map.points.size(); ++i) {
    EXPECT_EQ(again.points[i].token, map.points[i].token);
    EXPECT_EQ(again.points[i].x, map.points[i].x);
  }
  options.seed = 9;
  const QueryKeyMap other = valueOrThrow(vit.map(options));
  EXPECT_FALSE(std::equal(map.points.begin(), map.points.end(), other.points.begin(),
                          [](const auto& a, const auto& b) { return a.token == b.token; }));
}

/// Masks of earlier layers change what is compared; those of the layer itself only the weights.
TEST(QueryKeyMap, MasksCount) {
  MappedVit vit;
  QueryKeyOptions options;
  options.layer = 1;
  const QueryKeyMap before = valueOrThrow(vit.map(options));
  vit.masks.set(1, 0, {MaskKind::Strict, 3});
  const QueryKeyMap own = valueOrThrow(vit.map(options));
  EXPECT_EQ(own.points[4].x, before.points[4].x);
  EXPECT_NE(own.space.weight, before.space.weight);
  vit.masks.set(0, 0, {MaskKind::Strict, 3});
  EXPECT_NE(valueOrThrow(vit.map(options)).points[4].norm, before.points[4].norm);
}

TEST(QueryKeyMap, SaysWhatIsLeftOut) {
  const MappedVit vit;
  QueryKeyOptions options;
  options.images = 2;
  options.tokens = 1;
  const QueryKeyMap map = valueOrThrow(vit.map(options, 5));
  EXPECT_EQ(map.images.size(), 2u);
  EXPECT_EQ(map.points.size(), 4u);
  ASSERT_EQ(map.notes.size(), 1u);
  EXPECT_NE(map.notes[0].find("2 of 5 images"), std::string::npos) << map.notes[0];
}

ErrorCode mapRefusal(const Result<QueryKeyMap>& result) {
  return result ? ErrorCode::Internal : result.error().code;
}

TEST(QueryKeyMap, RefusesWhatDoesNotFit) {
  const MappedVit vit;
  QueryKeyOptions options;
  options.layer = 99;
  EXPECT_EQ(mapRefusal(vit.map(options)), ErrorCode::InvalidArgument);
  options.layer = 0;
  options.head = 99;
  EXPECT_EQ(mapRefusal(vit.map(options)), ErrorCode::InvalidArgument);
  options.head = 0;
  EXPECT_EQ(mapRefusal(vit.map(options, 0)), ErrorCode::InvalidArgument);
  options.tokens = 1;  // one query and one key, put in one place by the alignment
  EXPECT_EQ(mapRefusal(vit.map(options, 1)), ErrorCode::InvalidArgument);
  options.tokens = 0;
  EXPECT_FALSE(vit.map(options));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(
      mapRefusal(mapQueryKeys(*vit.session, seededImages(2), vit.masks, {}, {}, stop.get_token())),
      ErrorCode::Canceled);
}

TEST(QueryKeyMap, RefusesNaN) {
  const MappedVit vit;
  withModel(*vit.session, [](Model& model) {
    const at::NoGradGuard noGrad;
    for (const auto& [name, tensor] : model.trainable())
      if (name == "blocks.0.attn.qkv.weight") at::Tensor(tensor).fill_(NAN);
  });
  QueryKeyOptions options;
  options.layer = 0;
  const auto refused = vit.map(options);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("NaN"), std::string::npos) << refused.error().message;
}

TEST(QueryKeyMap, RefusesMechanismsWithoutQueriesAndKeys) {
  ModelConfig config = microVit();
  config.mechanism = "aft_full";
  config.attention = Json::object();
  const auto session = explanationSession(checkedAndCompleted(config));
  const auto refused = mapQueryKeys(*session, seededImages(2), explanationMasks(*session), {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("AFT"), std::string::npos) << refused.error().message;
}

/// Every token once, each in its own place: a query's weight is on keys of its window alone.
TEST(QueryKeyMap, WindowsKeepTheirTokens) {
  const at::NoGradGuard noGrad;
  const ModelConfig config = shrunk(findPublishedModel("swin_tiny_patch4_window7_224")->config);
  const auto session = explanationSession(config);
  const RawImages image = explanationImage(config);
  withModel(*session, [&](Model& model) {
    for (int layer = 0; layer < model.layers(); ++layer) {
      const QueryKeyRows rows = readQueryKeys(model, explanationTensor(image), layer, 0);
      const std::int64_t tokens = model.grid(layer).tokens();
      ASSERT_EQ(rows.queries.count(), tokens);
      std::set<std::int64_t> found(rows.queries.tokens.begin(), rows.queries.tokens.end());
      EXPECT_EQ(static_cast<std::int64_t>(found.size()), tokens);
      ASSERT_TRUE(rows.weights.defined());
      for (std::int64_t q = 0; q < tokens; ++q)
        for (std::int64_t k = 0; k < tokens; ++k)
          if (rows.queries.groups[q] != rows.keys.groups[k])
            EXPECT_EQ(rows.weights[rows.queries.tokens[q]][rows.keys.tokens[k]].item<double>(), 0);
    }
  });
}

TEST(QueryKeyFigure, ColorsTablesAndPlaces) {
  const MappedVit vit;
  QueryKeyOptions options;
  options.tokens = 4;
  const QueryKeyMap map = valueOrThrow(vit.map(options));
  for (const std::string& name : pointColoringNames()) {
    const PointColoring coloring = valueOrThrow(pointColoringFromName(name));
    EXPECT_EQ(pointValues(map, coloring).size(), map.points.size());
    EXPECT_GT(queryKeyDrawing(map, coloring, "micro").lines.size(), map.points.size());
  }
  EXPECT_FALSE(pointColoringFromName("taste"));
  const std::string csv = queryKeyCsv(map);
  EXPECT_TRUE(csv.starts_with("image,role,token,row,column,x,y,norm,class\n"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'),
            static_cast<std::ptrdiff_t>(map.points.size()) + 1);
  const QueryKeyPoint& patch = map.points[1];
  const auto [left, top, width, height] = patchInView(map, patch);
  EXPECT_EQ(left, patch.column * 8);
  EXPECT_EQ(top, patch.row * 8);
  EXPECT_EQ(width, 8);
  EXPECT_EQ(height, 8);
  EXPECT_EQ(tokenOnGrid(map, patch, map.images[0].queries), patch.token);
  EXPECT_FALSE(writeQueryKeyMap("map.txt", map, PointColoring::Role, ""));
}

}  // namespace
}  // namespace headlight
