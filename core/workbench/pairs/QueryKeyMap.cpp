// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/pairs/QueryKeyMap.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/base/Random.h"
#include "core/base/Translation.h"
#include "core/imaging/Preprocess.h"
#include "core/workbench/attribution/Explanations.h"
#include "core/workbench/loading/MapFile.h"
#include "core/workbench/pairs/JointPlane.h"
#include "core/workbench/pairs/KeyAlignment.h"
#include "core/workbench/pairs/QueryKeyReader.h"
#include "core/workbench/pairs/QueryKeySample.h"
#include "core/workbench/pairs/RankCorrelation.h"
#include "core/workbench/session/Images.h"
#include "core/workbench/session/MapRendering.h"
#include "core/workbench/session/ModelCopy.h"
#include "core/workbench/session/ModelPass.h"

namespace headlight {
namespace {

constexpr std::int64_t kMostComparedPairs = 100'000;
constexpr std::uint64_t kPairDraw = 3;
constexpr int kSmallView = 112;

/// Their weights are a softmax of q·k/√d plus what does not depend on the scale of q and k.
bool weighsBySoftmax(const std::string& mechanism) {
  static const std::set<std::string> softmaxes{"softmax", "window", "talking_heads",
                                               "gated_softmax", "gated_positional"};
  return softmaxes.contains(mechanism);
}

Image smallView(const Image& image, const Preprocessing& preprocessing) {
  Image view = evaluationView(image, preprocessing);
  const int longest = std::max(view.width, view.height);
  if (longest <= kSmallView) return view;
  const auto side = [&](int length) { return std::max(1, length * kSmallView / longest); };
  return resize(view, side(view.width), side(view.height), Interpolation::Bilinear);
}

/// The images that were drawn; `current` is the index of the one that was read last.
ImageSource drawnSource(const ImageSource& feed, const std::vector<std::int64_t>& indices,
                        std::int64_t& current) {
  ImageSource drawn;
  drawn.count = static_cast<std::int64_t>(indices.size());
  drawn.of = feed.of;
  drawn.classes = feed.classes;
  drawn.read = [&feed, &indices, &current](std::int64_t i) {
    current = indices[static_cast<std::size_t>(i)];
    return feed.read(current);
  };
  return drawn;
}

QueryKeyPoint pointOf(int image, bool isKey, std::int64_t token, const Grid& grid) {
  QueryKeyPoint point;
  point.image = image;
  point.isKey = isKey;
  point.token = static_cast<int>(token);
  if (point.token < grid.prefix) return point;
  point.row = (point.token - grid.prefix) / grid.cols;
  point.column = (point.token - grid.prefix) % grid.cols;
  return point;
}

/// Collects image after image.
class QueryKeyCloud {
 public:
  QueryKeyCloud(LoadedModel& model, const QueryKeyOptions& options, int layer, std::int64_t images)
      : m_model(model),
        m_options(options),
        m_layer(layer),
        m_mostPairs(
            std::max<std::int64_t>(1, kMostComparedPairs / std::max<std::int64_t>(1, images))) {}

  void add(const SourceImage& source, std::int64_t index) {
    const RawImages raw = rawImage(m_model.info, source.image);
    const QueryKeyRows all =
        readQueryKeys(*m_model.model, modelInput(m_model.info, raw), m_layer, m_options.head);
    requireFinite(all, index);
    const TokenRows queries = drawn(all.queries, index), keys = drawn(all.keys, index);
    addPairs(queries, keys, all.weights, index);
    addPoints(queries, false);
    addPoints(keys, true);
    images.push_back({index, source.label, queries.grid, keys.grid,
                      smallView(source.image, makePreprocessing(m_model.info.experiment.model))});
  }

  at::Tensor allQueries() const { return at::cat(m_queries, 0); }
  at::Tensor allKeys() const { return at::cat(m_keys, 0); }

  std::vector<QueryKeyImage> images;
  std::vector<QueryKeyPoint> queryPoints, keyPoints;
  std::vector<ComparedPair> pairs;

 private:
  void requireFinite(const QueryKeyRows& rows, std::int64_t index) const {
    for (const at::Tensor& values : {rows.queries.values, rows.keys.values})
      if (!at::isfinite(values).all().item<bool>())
        throw Failure(noNumbers(m_model.info, tr("image ") + std::to_string(index)));
  }

  TokenRows drawn(const TokenRows& rows, std::int64_t index) const {
    return rows.only(drawnRows(rows.tokens, rows.grid.prefix, index, m_options));
  }

  void addPoints(const TokenRows& rows, bool isKey) {
    (isKey ? m_keys : m_queries).push_back(rows.values);
    for (const std::int64_t token : rows.tokens)
      (isKey ? keyPoints : queryPoints)
          .push_back(pointOf(static_cast<int>(images.size()), isKey, token, rows.grid));
  }

  /// Before the points of the image are added: their rows begin behind those that there are.
  void addPairs(const TokenRows& queries, const TokenRows& keys, const at::Tensor& weights,
                std::int64_t index) {
    std::vector<std::int64_t> meeting;
    const at::Tensor products = queries.values.mm(keys.values.t()).contiguous();
    for (std::int64_t q = 0; q < queries.count(); ++q)
      for (std::int64_t k = 0; k < keys.count(); ++k)
        if (meet(queries, q, keys, k)) meeting.push_back(q * keys.count() + k);
    const std::uint64_t key = streamKey(
        {static_cast<std::uint64_t>(m_options.seed), kPairDraw, static_cast<std::uint64_t>(index)});
    for (const std::int64_t i :
         drawnIndices(static_cast<std::int64_t>(meeting.size()), m_mostPairs, key)) {
      const std::int64_t at = meeting[static_cast<std::size_t>(i)];
      pairs.push_back(
          pairOf(queries, at / keys.count(), keys, at % keys.count(), products, weights));
    }
  }

  static bool meet(const TokenRows& queries, std::int64_t q, const TokenRows& keys,
                   std::int64_t k) {
    const std::int64_t first = queries.groups[static_cast<std::size_t>(q)],
                       second = keys.groups[static_cast<std::size_t>(k)];
    return first < 0 || second < 0 || first == second;
  }

  ComparedPair pairOf(const TokenRows& queries, std::int64_t q, const TokenRows& keys,
                      std::int64_t k, const at::Tensor& products, const at::Tensor& weights) const {
    ComparedPair pair;
    pair.query = static_cast<std::int64_t>(queryPoints.size()) + q;
    pair.key = static_cast<std::int64_t>(keyPoints.size()) + k;
    pair.product = products.data_ptr<double>()[q * keys.count() + k];
    pair.weight = std::numeric_limits<double>::quiet_NaN();
    if (!weights.defined()) return pair;
    const std::int64_t from = queries.tokens[static_cast<std::size_t>(q)],
                       to = keys.tokens[static_cast<std::size_t>(k)];
    pair.weight = weights.data_ptr<double>()[from * weights.size(1) + to];
    return pair;
  }

  LoadedModel& m_model;
  const QueryKeyOptions& m_options;
  int m_layer;
  std::int64_t m_mostPairs;
  std::vector<at::Tensor> m_queries, m_keys;
};

DistanceAgreement distanceAgreement(const std::vector<ComparedPair>& pairs,
                                    const std::vector<double>& squares) {
  std::vector<double> nearness, products, weights;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    nearness.push_back(-squares[i]);
    products.push_back(pairs[i].product);
    weights.push_back(pairs[i].weight);
  }
  return {rankCorrelation(nearness, products), rankCorrelation(nearness, weights)};
}

void placePoints(std::vector<QueryKeyPoint>& points, const at::Tensor& places,
                 const at::Tensor& given) {
  const at::Tensor xy = places.contiguous(), norms = given.norm(2, {-1}).contiguous();
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].x = xy.data_ptr<double>()[2 * i];
    points[i].y = xy.data_ptr<double>()[2 * i + 1];
    points[i].norm = norms.data_ptr<double>()[i];
  }
}

double meanNorm(const std::vector<QueryKeyPoint>& points) {
  double sum = 0;
  for (const QueryKeyPoint& point : points)
    sum += point.norm;
  return points.empty() ? 0 : sum / static_cast<double>(points.size());
}

/// Aligns, projects and compares.
void finishMap(QueryKeyMap& map, QueryKeyCloud& cloud, const QueryKeyOptions& options) {
  const at::Tensor queries = cloud.allQueries(), keys = cloud.allKeys();
  map.scale = options.scale == "correlation" ? correlationScale(queries, keys, cloud.pairs)
                                             : spreadScale(queries, keys);
  const KeyAlignment alignment = alignKeys(queries, keys, map.scale);
  const at::Tensor there = alignment.translation.contiguous();
  map.translation.assign(there.data_ptr<double>(), there.data_ptr<double>() + there.numel());
  map.width = static_cast<int>(queries.size(1));
  const at::Tensor q = alignment.queries(queries), k = alignment.keys(keys);
  const JointPlane plane = jointPlane(q, k);
  map.shares = plane.shares;
  placePoints(cloud.queryPoints, plane.queries, queries);
  placePoints(cloud.keyPoints, plane.keys, keys);
  map.queryNorm = meanNorm(cloud.queryPoints);
  map.keyNorm = meanNorm(cloud.keyPoints);
  map.pairs = static_cast<std::int64_t>(cloud.pairs.size());
  map.space = distanceAgreement(cloud.pairs, squaredDistances(q, k, cloud.pairs));
  map.plane =
      distanceAgreement(cloud.pairs, squaredDistances(plane.queries, plane.keys, cloud.pairs));
  map.images = std::move(cloud.images);
  map.points = std::move(cloud.queryPoints);
  map.points.insert(map.points.end(), cloud.keyPoints.begin(), cloud.keyPoints.end());
}

/// Where images that were asked for are left out, and what the numbers do not mean.
std::vector<std::string> mapNotes(const ModelInfo& info, std::int64_t given,
                                  const QueryKeyOptions& options) {
  std::vector<std::string> notes;
  const std::int64_t wanted = std::min<std::int64_t>(given, options.images);
  if (wanted > mostImages(options))
    notes.push_back(std::to_string(mostImages(options)) + tr(" of ") + std::to_string(wanted) +
                    tr(" images: a map has at most ") + std::to_string(kMostQueryKeyPoints) +
                    tr(" points; take fewer tokens of each image for more"));
  else if (given > options.images)
    notes.push_back(std::to_string(wanted) + tr(" of ") + std::to_string(given) +
                    tr(" images, drawn at random"));
  if (!weighsBySoftmax(info.experiment.model.mechanism))
    notes.emplace_back(
        tr("this mechanism's weights are not a softmax of q·k alone: the alignment keeps q·k up to "
           "a constant for each query, which may change such weights"));
  return notes;
}

void checkQueryKeyOptions(const QueryKeyOptions& options) {
  const Json json = writeParameters(queryKeyParameters(), &options);
  QueryKeyOptions checked;
  valueOrThrow(readParameters(queryKeyParameters(), json, &checked, "query-key map"));
}

const Grid& gridOfPoint(const QueryKeyMap& map, const QueryKeyPoint& point) {
  const QueryKeyImage& image = map.images.at(static_cast<std::size_t>(point.image));
  return point.isKey ? image.keys : image.queries;
}

}  // namespace

Result<QueryKeyMap> mapQueryKeys(InferenceSession& session, const ImageSource& feed,
                                 const MaskScheme& masks, const QueryKeyOptions& asked,
                                 const ProgressCallback& progress, std::stop_token stop) {
  return guarded("query-key map", [&] {
    const at::NoGradGuard noGrad;
    at::init_num_threads();  // counts are per thread
    checkQueryKeyOptions(asked);
    if (session.info().isPrecomputed) throw Failure(needsModel(session.info().weights.string()));
    requireAttention(session.info());
    LoadedModel own = copyModel(session);
    own.model->setMasks(masks);
    QueryKeyMap map;
    map.layer = layerOrLast(asked.layer, own.model->layers());
    QueryKeyOptions options = asked;
    options.tokens = std::min(asked.tokens, own.model->grid(map.layer).tokens());
    map.head = options.head;
    const std::vector<std::int64_t> indices = drawnImages(feed.count, options);
    QueryKeyCloud cloud(own, options, map.layer, static_cast<std::int64_t>(indices.size()));
    std::int64_t current = 0;
    map.fed = eachSourceImage(drawnSource(feed, indices, current), tr("reading queries and keys"),
                              progress, stop,
                              [&](const SourceImage& image, const std::function<void(double)>&) {
                                cloud.add(image, current);
                              });
    throwIfFeedStopped(stop);
    finishMap(map, cloud, options);
    map.notes = mapNotes(own.info, feed.count, options);
    return map;
  });
}

std::string queryKeyTokenText(const QueryKeyMap& map, const QueryKeyPoint& point) {
  return tokenText(point.token, gridOfPoint(map, point));
}

std::array<int, 4> patchInView(const QueryKeyMap& map, const QueryKeyPoint& point) {
  const Image& view = map.images.at(static_cast<std::size_t>(point.image)).view;
  if (point.row < 0) return {0, 0, view.width, view.height};
  const Grid& grid = gridOfPoint(map, point);
  const int left = point.column * view.width / grid.cols, top = point.row * view.height / grid.rows;
  const int right = (point.column + 1) * view.width / grid.cols,
            bottom = (point.row + 1) * view.height / grid.rows;
  return {left, top, std::max(1, right - left), std::max(1, bottom - top)};
}

int tokenOnGrid(const QueryKeyMap& map, const QueryKeyPoint& point, const Grid& grid) {
  if (point.row < 0) return point.token < grid.prefix ? point.token : -1;
  const Grid& own = gridOfPoint(map, point);
  const int row = (2 * point.row + 1) * grid.rows / (2 * own.rows),
            column = (2 * point.column + 1) * grid.cols / (2 * own.cols);
  return grid.prefix + std::min(row, grid.rows - 1) * grid.cols + std::min(column, grid.cols - 1);
}

}  // namespace headlight
