// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/Loader.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
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

}  // namespace

struct Loader::State {
  struct Failed {
    std::int64_t index = 0;
    Error error;
  };

  /// One batch as a worker leaves it. `broken` is no sample's fault (no memory).
  struct Prepared {
    Batch batch;
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

  Prepared prepare(const Task& task, const std::stop_token& stop) const;
  void fill(const Task& task, const std::stop_token& stop, Prepared& prepared) const;
  void work(const std::stop_token& stop);
  Result<Prepared> takeNext(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  std::optional<Error> account(const Prepared& prepared);
};

/// Runs without the lock, on any thread; reads only what never changes.
void Loader::State::fill(const Task& task, const std::stop_token& stop, Prepared& prepared) const {
  const std::int64_t count = task.order->size();
  const std::int64_t begin = task.batch * options.batchSize;
  const std::int64_t end = std::min(count, begin + options.batchSize);
  const Preprocessing& view = options.preprocessing;
  const std::int64_t plane = std::int64_t(3) * view.height * view.width;
  const auto rows = rowsOfPart(end - begin, options.part, options.parts);
  prepared.batch.whole = options.parts > 1 ? end - begin : 0;
  std::vector<std::int64_t> labels;
  std::vector<float> values;
  values.reserve(rows.size() * static_cast<std::size_t>(plane));
  for (const std::int64_t row : rows) {
    if (stop.stop_requested()) break;
    const PlacedSample placed = task.order->at(begin + row);
    const std::uint64_t key = augmentKey(options.seed, task.epoch, placed);
    const auto sample = dataset->part(placed.index, choosePart(options.augment, view, key));
    if (!sample) {
      prepared.failed.push_back({placed.index, sample.error()});
      continue;
    }
    const auto pixels = trainingView(sample->image, options.augment, options.erasing, view, key);
    values.insert(values.end(), pixels.begin(), pixels.end());
    labels.push_back(sample->label);
    prepared.batch.indices.push_back(placed.index);
    if (options.parts > 1) prepared.batch.rows.push_back(row);
  }
  const auto size = static_cast<std::int64_t>(labels.size());
  prepared.batch.images = at::empty({size, 3, view.height, view.width}, at::kFloat);
  prepared.batch.labels = at::empty({size}, at::kLong);
  if (size == 0) return;
  std::memcpy(prepared.batch.images.data_ptr<float>(), values.data(),
              values.size() * sizeof(float));
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
