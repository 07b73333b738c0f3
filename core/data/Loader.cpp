// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/Loader.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <condition_variable>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <thread>

#include "core/base/Translation.h"
#include "core/data/BatchRows.h"
#include "core/data/EpochOrder.h"
#include "core/data/TrainingView.h"

namespace headlight {
namespace {

void requireAtLeastOne(std::int64_t value, const char* name) {
  if (value < 1)
    throw Failure({ErrorCode::InvalidArgument,
                   "is " + std::to_string(value) + tr("; choose 1 or more"), name});
}

EpochOrder epochOrder(const Dataset& dataset, const LoaderOptions& options, std::int64_t epoch) {
  const auto shards = options.shuffle ? dataset.shards() : std::vector<std::int64_t>();
  if (shards.empty())
    return {dataset.size(), options.shuffle, options.repeats, options.seed, epoch};
  return {shards, options.shuffleBuffer, options.repeats, options.seed, epoch};
}

/// Whether rows have the size that their image asks for, so that a batch has one.
bool sizesFollowImages(const LoaderOptions& options) {
  return options.preprocessing.pad && !options.augment.enabled;
}

/// Of `image` in a batch that shows `view`.
ViewSize rowSize(const ImagePart& image, const LoaderOptions& options, const Preprocessing& view) {
  if (!sizesFollowImages(options)) return {view.width, view.height};
  return evaluationSize(image.originalWidth, image.originalHeight, view);
}

void requireOneImage(const LoaderOptions& options) {
  if (sizesFollowImages(options) && options.batchSize != 1)
    throw Failure({ErrorCode::InvalidArgument, tr("must be 1 where images keep their proportions"),
                   "batchSize"});
}

/// Boxes and segments must stay where their objects are.
void requireTruthKept(const Dataset& dataset, const LoaderOptions& options) {
  if (!options.augment.enabled || !options.augment.randAugment) return;
  const auto refuse = [](const std::string& message) {
    throw Failure({ErrorCode::InvalidArgument, message, "data.rand_augment"});
  };
  if (dataset.hasBoxes())
    refuse(tr("moves objects out of their boxes; leave it empty for data with boxes"));
  if (dataset.hasSegments())
    refuse(
        tr("moves pixels away from their classes; leave it empty for data with a class for "
           "every pixel"));
}

/// Row `row` of `images`, which the first one makes, with room for `most`.
std::span<float> rowOf(at::Tensor& images, std::int64_t row, std::int64_t most,
                       const ViewSize& shape) {
  if (!images.defined()) images = at::empty({most, 3, shape.height, shape.width}, at::kFloat);
  const std::int64_t size = images.stride(0);
  return {images.data_ptr<float>() + row * size, static_cast<std::size_t>(size)};
}

/// From rows one after another, [B, height, width].
at::Tensor classTensor(const std::vector<std::uint8_t>& classes, std::int64_t rows,
                       const ViewSize& view) {
  at::Tensor tensor = at::empty({rows, view.height, view.width}, at::kByte);
  std::copy(classes.begin(), classes.end(), tensor.data_ptr<std::uint8_t>());
  return tensor;
}

}  // namespace

struct Loader::State {
  struct Failed {
    std::int64_t index = 0;
    Error error;
  };

  /// One batch as a worker leaves it. `broken` is no sample's fault (no memory).
  struct Prepared {
    Batch batch;
    std::vector<std::uint8_t> classes;  ///< of `batch.segments`, while rows are taken
    std::vector<Failed> failed;
    std::optional<Error> broken;
  };

  using Order = std::shared_ptr<const EpochOrder>;

  /// What a worker takes along, so that it needs no lock while it works.
  struct Task {
    std::int64_t batch = 0;
    std::int64_t epoch = 0;
    std::uint64_t generation = 0;  ///< of startEpoch; results of an older one are dropped
    Order order;
  };

  std::shared_ptr<const Dataset> dataset;
  LoaderOptions options;
  std::int64_t batches = 0;
  std::int64_t ahead = 1;

  mutable std::mutex mutex;
  std::condition_variable_any changed;
  // All below: guarded by `mutex`.
  std::uint64_t generation = 0;
  std::int64_t epoch = 0;
  Order order;
  std::int64_t nextToPrepare = 0;
  std::int64_t nextToDeliver = 0;
  std::map<std::int64_t, Prepared> ready;
  std::optional<Error> error;    ///< kept until the next startEpoch
  std::int64_t failedInRow = 0;  ///< samples since the last good one, across epochs
  std::set<std::int64_t> skippedIndices;
  std::vector<SkippedFile> skipped;

  std::vector<std::jthread> workers;  // last: joined before anything above goes

  bool mayPrepare() const {
    return order && nextToPrepare < batches && nextToPrepare < nextToDeliver + ahead;
  }
  Task takeTask() { return {nextToPrepare++, epoch, generation, order}; }

  Preprocessing viewOf(const Task& task) const;
  ChoosePart partFor(const Preprocessing& view, std::uint64_t key) const;
  void takeRow(SamplePart sample, const Preprocessing& view, std::uint64_t key,
               std::span<float> planes, Prepared& prepared) const;
  std::vector<float> takeBoxed(SamplePart sample, const Preprocessing& view, std::uint64_t key,
                               Prepared& prepared) const;
  std::vector<float> takeSegmented(SamplePart sample, const Preprocessing& view, std::uint64_t key,
                                   Prepared& prepared) const;
  Prepared prepare(const Task& task, const std::stop_token& stop) const;
  void fill(const Task& task, const std::stop_token& stop, Prepared& prepared) const;
  void work(const std::stop_token& stop);
  Result<Prepared> takeNext(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  std::optional<Error> account(const Prepared& prepared);
};

Preprocessing Loader::State::viewOf(const Task& task) const {
  if (!dataset->hasBoxes()) return options.preprocessing;
  return batchPreprocessing(options.augment, options.preprocessing,
                            batchKey(options.seed, task.epoch, task.batch));
}

/// Of an image with boxes all of it: which crop is taken depends on the boxes. Likewise with
/// segments, which are whole.
ChoosePart Loader::State::partFor(const Preprocessing& view, std::uint64_t key) const {
  AugmentOptions choice = options.augment;
  if (dataset->hasBoxes() || dataset->hasSegments()) choice.enabled = false;
  return choosePart(choice, view, key);
}

std::vector<float> Loader::State::takeSegmented(SamplePart sample, const Preprocessing& view,
                                                std::uint64_t key, Prepared& prepared) const {
  const int width = sample.image.originalWidth, height = sample.image.originalHeight;
  const SegmentedImage whole{std::move(sample.image.image), std::move(sample.segments)};
  SegmentedView row = segmentedView(whole, options.augment, options.erasing, view, key);
  prepared.classes.insert(prepared.classes.end(), row.segments.classes.begin(),
                          row.segments.classes.end());
  if (!options.augment.enabled) prepared.batch.truth.push_back({width, height, {}, whole.segments});
  return std::move(row.planes);
}

std::vector<float> Loader::State::takeBoxed(SamplePart sample, const Preprocessing& view,
                                            std::uint64_t key, Prepared& prepared) const {
  Batch& batch = prepared.batch;
  const int width = sample.image.originalWidth, height = sample.image.originalHeight;
  BoxedView row = boxedView({std::move(sample.image.image), sample.boxes}, options.augment,
                            options.erasing, view, key);
  batch.boxes.push_back(std::move(row.boxes));
  if (!options.augment.enabled) batch.truth.push_back({width, height, std::move(sample.boxes), {}});
  return std::move(row.planes);
}

/// The pixels of a row go to `planes`, its boxes or classes and its truth to the batch.
void Loader::State::takeRow(SamplePart sample, const Preprocessing& view, std::uint64_t key,
                            std::span<float> planes, Prepared& prepared) const {
  if (!dataset->hasSegments() && !dataset->hasBoxes())
    return trainingView(sample.image, options.augment, options.erasing, view, key, planes);
  const auto row = dataset->hasSegments() ? takeSegmented(std::move(sample), view, key, prepared)
                                          : takeBoxed(std::move(sample), view, key, prepared);
  std::copy(row.begin(), row.end(), planes.begin());
}

/// Runs without the lock, on any thread; reads only what never changes.
void Loader::State::fill(const Task& task, const std::stop_token& stop, Prepared& prepared) const {
  const std::int64_t count = task.order->size();
  const std::int64_t begin = task.batch * options.batchSize;
  const std::int64_t end = std::min(count, begin + options.batchSize);
  const Preprocessing view = viewOf(task);
  ViewSize shape{view.width, view.height};
  const auto rows = rowsOfPart(end - begin, options.part, options.parts);
  prepared.batch.whole = options.parts > 1 ? end - begin : 0;
  std::vector<std::int64_t> labels;
  for (const std::int64_t row : rows) {
    if (stop.stop_requested()) break;
    const PlacedSample placed = task.order->at(begin + row);
    const std::uint64_t key = augmentKey(options.seed, task.epoch, placed);
    auto sample = dataset->part(placed.index, partFor(view, key));
    if (!sample) {
      prepared.failed.push_back({placed.index, sample.error()});
      continue;
    }
    labels.push_back(sample->label);
    shape = rowSize(sample->image, options, view);
    const auto planes =
        rowOf(prepared.batch.images, std::ssize(labels) - 1, std::ssize(rows), shape);
    takeRow(std::move(*sample), view, key, planes, prepared);
    prepared.batch.indices.push_back(placed.index);
    if (options.parts > 1) prepared.batch.rows.push_back(row);
  }
  const auto size = static_cast<std::int64_t>(labels.size());
  prepared.batch.labels = at::empty({size}, at::kLong);
  if (dataset->hasSegments()) prepared.batch.segments = classTensor(prepared.classes, size, shape);
  prepared.classes = {};
  prepared.batch.images = size == 0 ? at::empty({0, 3, shape.height, shape.width}, at::kFloat)
                                    : prepared.batch.images.narrow(0, 0, size);
  std::copy(labels.begin(), labels.end(), prepared.batch.labels.data_ptr<std::int64_t>());
}

Loader::State::Prepared Loader::State::prepare(const Task& task,
                                               const std::stop_token& stop) const {
  Prepared prepared;
  prepared.batch.number = task.batch;
  const auto outcome = guarded("", [&] { fill(task, stop, prepared); });
  if (!outcome) prepared.broken = outcome.error();
  return prepared;
}

void Loader::State::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex);
  while (changed.wait(lock, stop, [this] { return mayPrepare(); })) {
    const Task task = takeTask();
    lock.unlock();
    Prepared prepared = prepare(task, stop);
    lock.lock();
    if (stop.stop_requested()) return;
    if (task.generation == generation) ready.emplace(task.batch, std::move(prepared));
    changed.notify_all();
  }
}

/// The batch `nextToDeliver`, waited for or, without workers, made here.
Result<Loader::State::Prepared> Loader::State::takeNext(std::unique_lock<std::mutex>& lock,
                                                        const std::stop_token& stop) {
  const Error canceled{ErrorCode::Canceled, "loading was stopped", ""};
  if (workers.empty()) {
    if (stop.stop_requested()) return canceled;
    const Task task{nextToDeliver, epoch, generation, order};
    lock.unlock();
    Prepared prepared = prepare(task, stop);
    lock.lock();
    if (stop.stop_requested()) return canceled;  // it may be half a batch
    ++nextToDeliver;
    return prepared;
  }
  const bool arrived = changed.wait(lock, stop, [this] { return ready.count(nextToDeliver) > 0; });
  if (!arrived || stop.stop_requested()) return canceled;
  auto node = ready.extract(nextToDeliver);
  ++nextToDeliver;
  changed.notify_all();
  return std::move(node.mapped());
}

/// Lists what failed; an error when nothing of the dataset can be read any more.
std::optional<Error> Loader::State::account(const Prepared& prepared) {
  if (prepared.broken) return prepared.broken;
  for (const Failed& failed : prepared.failed)
    if (skippedIndices.insert(failed.index).second)
      skipped.push_back({dataset->describe(failed.index), failed.error.message});
  if (!prepared.batch.indices.empty()) {
    failedInRow = 0;
    return std::nullopt;
  }
  failedInRow += static_cast<std::int64_t>(prepared.failed.size());
  const std::int64_t perEpoch = std::min(dataset->size(), batches * options.batchSize);
  if (failedInRow < perEpoch && dataset->reachable()) return std::nullopt;
  const std::string first = prepared.failed.empty() ? "" : prepared.failed.front().error.text();
  return Error{
      ErrorCode::Io,
      tr("no image of the dataset can be read any more; check that its folder still exists (") +
          first + ")",
      prepared.failed.empty() ? "" : dataset->describe(prepared.failed.front().index)};
}

Loader::Loader(std::shared_ptr<const Dataset> dataset, LoaderOptions options)
    : m_state(std::make_unique<State>()) {
  if (!dataset || dataset->size() < 1)
    throw Failure({ErrorCode::InvalidArgument, tr("the dataset is empty"), ""});
  requireAtLeastOne(options.batchSize, "batchSize");
  requireAtLeastOne(options.repeats, "repeats");
  requireAtLeastOne(options.shuffleBuffer, "shuffleBuffer");
  requireTruthKept(*dataset, options);
  requireOneImage(options);
  State& state = *m_state;
  state.batches = headlight::batchesPerEpoch(dataset->size(), options.batchSize, options.dropLast);
  const int threads = std::max(0, options.threads);
  state.ahead = std::max({1, options.batchesAhead, threads});
  state.dataset = std::move(dataset);
  state.options = options;
  for (int i = 0; i < threads; ++i)
    state.workers.emplace_back([&state](const std::stop_token& stop) { state.work(stop); });
}

Loader::~Loader() {
  for (std::jthread& worker : m_state->workers)
    worker.request_stop();
}

std::int64_t Loader::batchesPerEpoch() const {
  return m_state->batches;
}

std::int64_t Loader::batchSize() const {
  return m_state->options.batchSize;
}

void Loader::startEpoch(std::int64_t epoch, std::int64_t firstBatch) {
  State& state = *m_state;
  auto order = std::make_shared<const EpochOrder>(epochOrder(*state.dataset, state.options, epoch));
  const std::lock_guard lock(state.mutex);
  ++state.generation;
  state.epoch = epoch;
  state.order = std::move(order);
  state.nextToPrepare = state.nextToDeliver =
      std::clamp<std::int64_t>(firstBatch, 0, state.batches);
  state.ready.clear();
  state.error.reset();
  state.changed.notify_all();
}

Result<std::optional<Batch>> Loader::next(std::stop_token stop) {
  return guarded("", [&]() -> Result<std::optional<Batch>> {
    State& state = *m_state;
    std::unique_lock lock(state.mutex);
    if (!state.order)
      return Error{ErrorCode::Internal, tr("next() was called before startEpoch()"), ""};
    while (!state.error && state.nextToDeliver < state.batches) {
      auto prepared = state.takeNext(lock, stop);
      if (!prepared) return prepared.error();
      state.error = state.account(*prepared);
      const bool passedOver = prepared->batch.indices.empty() && state.options.parts == 1;
      if (!state.error && !passedOver) return std::optional<Batch>(std::move(prepared->batch));
    }
    if (state.error) return *state.error;
    return std::optional<Batch>();
  });
}

std::vector<SkippedFile> Loader::skipped() const {
  const std::lock_guard lock(m_state->mutex);
  return m_state->skipped;
}

}  // namespace headlight
