// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/runs/RecordedEvolution.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/Translation.h"
#include "core/base/files/OpenFolder.h"
#include "core/config/RunId.h"
#include "core/imaging/codecs/ImageSize.h"
#include "core/models/Registry.h"
#include "core/models/backbones/Model.h"
#include "core/training/evolution/EvolutionFile.h"
#include "core/training/logs/LineLog.h"
#include "core/training/run/RunFolder.h"
#include "core/workbench/loading/LearnedMaps.h"
#include "core/workbench/runs/RunConfig.h"

namespace headlight {
namespace {

Error noRecording(const OpenFolder& folder) {
  return {ErrorCode::NotFound,
          RunFolder::holdsRun(folder)
              ? tr("has no evolution.bin. Maps are recorded from the run's first measurement if "
                   "telemetry.als_steps and telemetry.evolution_mb are above 0")
              : tr("contains no run: it has no config.json"),
          folder.path().string()};
}

/// The id in config.json; empty where that cannot be read: then any recording is taken.
std::string idOfRun(const OpenFolder& folder) {
  const auto config = guarded(kRunConfig, [&] { return runConfigIn(folder); });
  return config ? writtenRunId(*config) : "";
}

ClassScore namedClass(int index, float probability, const std::vector<std::string>& names) {
  const bool named = index >= 0 && static_cast<std::size_t>(index) < names.size();
  return {index, named ? names[static_cast<std::size_t>(index)] : "class " + std::to_string(index),
          probability};
}

/// Queries that every layer of the model's own grid has.
std::vector<int> queriesOf(const EvolutionInfo& info) {
  std::set<int> queries;
  for (const EvolutionLayer& layer : info.layers)
    for (const int query : layer.queries) {
      if (layer.grid.rows != info.grid.rows || layer.grid.cols != info.grid.cols) continue;
      const int own =
          query < layer.grid.prefix ? query : query - layer.grid.prefix + info.grid.prefix;
      queries.insert(own);
    }
  return {queries.begin(), queries.end()};
}

/// A run keeps its images with sides of at most 224 pixels; what claims far more is not one of
/// them, and is refused before it is decoded.
void requireSmallImages(const std::vector<EvolutionImage>& images) {
  constexpr std::int64_t kLongestSide = 1024, kMostPixels = 16'000'000;
  std::int64_t pixels = 0;
  for (const EvolutionImage& image : images) {
    const ImageSize size = valueOrThrow(readImageSize(image.png, kEvolutionFile));
    pixels += size.pixels();
    if (std::max(size.width, size.height) <= kLongestSide && pixels <= kMostPixels) continue;
    throw Failure(
        {ErrorCode::InvalidFile,
         tr("contains an image of ") + std::to_string(size.width) + " × " +
             std::to_string(size.height) + tr(" pixels, with ") + std::to_string(pixels) +
             tr(" in all images so far; at most 1024 per side and 16000000 in all are read. "
                "No run wrote this file; move it away"),
         kEvolutionFile});
  }
}

EvolutionInfo infoFrom(EvolutionBeginning beginning) {
  EvolutionInfo info;
  info.run = std::move(beginning.run);
  info.mapMeaning = std::move(beginning.meaning);
  info.mapIsSigned = beginning.isSigned;
  info.mapRowsSumToOne = beginning.rowsSumToOne;
  info.layers = std::move(beginning.layers);
  info.classNames = std::move(beginning.classNames);
  info.stride = beginning.stride;
  info.grid = info.layers.front().grid;
  for (const EvolutionLayer& layer : info.layers)
    info.grid.prefix = std::max(info.grid.prefix, layer.grid.prefix);
  info.queries = queriesOf(info);
  requireSmallImages(beginning.images);
  for (EvolutionImage& image : beginning.images)
    info.images.push_back({image.index, namedClass(image.label, 1, info.classNames),
                           std::move(image.name),
                           valueOrThrow(decodeImage(image.png, kEvolutionFile))});
  return info;
}

EvolutionMoment momentFrom(const EvolutionPoint& point, const EvolutionInfo& info) {
  EvolutionMoment moment{point.step, point.epoch, point.locality, point.alpha, {}};
  for (const auto& classes : point.top) {
    moment.top.emplace_back();
    for (const auto& [index, probability] : classes)
      moment.top.back().push_back(namedClass(index, probability, info.classNames));
  }
  return moment;
}

/// The run's model, with random weights.
std::shared_ptr<Model> modelOfRun(const OpenFolder& folder) {
  const Experiment experiment =
      valueOrThrow(experimentFromJson(runConfigIn(folder), modelCatalog()));
  auto model = makeModel(experiment.model, static_cast<std::uint64_t>(experiment.seed));
  model->eval();
  return model;
}

/// Puts what was recorded in the place of the model's own.
void adoptTensors(Model& model, const std::vector<RecordedTensor>& tensors,
                  const std::string& where) {
  const at::NoGradGuard noGrad;
  for (const RecordedTensor& recorded : tensors) {
    const auto state = model.state();
    const auto own = std::find_if(state.begin(), state.end(),
                                  [&](const auto& item) { return item.first == recorded.name; });
    if (own == state.end() || own->second.sizes() != at::IntArrayRef(recorded.shape))
      throw Failure({ErrorCode::InvalidFile,
                     "has " + recorded.name +
                         tr(", which the model of config.json lacks or has in "
                            "another shape"),
                     where});
    own->second.copy_(at::tensor(at::ArrayRef<float>(recorded.values)).view(recorded.shape));
  }
}

/// What this file is, whatever has its name later.
struct FileIdentity {
  std::uint64_t device = 0, inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

std::pair<FileIdentity, std::int64_t> identityAndSize(const FileDescriptor& file) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return {};
  return {{status.st_dev, status.st_ino}, status.st_size};
}

}  // namespace

/// A recording as it was read.
struct RecordedEvolution::State {
  struct Place {
    std::int64_t offset = 0, size = 0;
  };

  explicit State(OpenFolder opened) : folder(std::move(opened)) {}

  OpenFolder folder;
  std::string run;
  FileDescriptor file;
  std::shared_ptr<const EvolutionInfo> info;
  EvolutionBeginning beginning;  ///< without its images' pixels
  std::vector<EvolutionMoment> moments;
  std::vector<Place> places;  ///< [moment]
  std::int64_t end = 0;
  std::string tail;  ///< the bytes before it
  std::size_t damaged = 0;
  std::string problem;
  std::shared_ptr<Model> model;  ///< built for learned()

  std::filesystem::path path() const { return folder.pathOf(kEvolutionFile); }

  void take(const EvolutionRecord& record) {
    if (record.kind == kBeginningRecord && !info && !record.damaged) {
      beginning = beginningFrom(record.content);
      requireRun(folder, kEvolutionFile, beginning.run, run);
      info = std::make_shared<const EvolutionInfo>(infoFrom(beginning));
      for (EvolutionImage& image : beginning.images)
        image.png.clear();
      return;
    }
    if (record.kind != kPointRecord || !info) return;
    const auto point = guarded("", [&] {
      if (record.damaged) throw Failure({ErrorCode::InvalidFile, "damaged", ""});
      return pointFrom(record.content, beginning);
    });
    const std::int64_t before = moments.empty() ? -1 : moments.back().step;
    if (!point || point->step <= before) {
      ++damaged;
      return;
    }
    moments.push_back(momentFrom(*point, *info));
    places.push_back({record.offset, record.size});
  }

  void read() {
    const EvolutionScan scan =
        valueOrThrow(scanEvolution(file, path(), end, [this](EvolutionRecord&& record) {
          take(record);
          return true;
        }));
    end = scan.end;
    problem = scan.problem;
    constexpr std::int64_t kTail = 64;
    const std::int64_t from = std::max<std::int64_t>(0, end - kTail);
    tail = evolutionBytes(file, path(), from, static_cast<std::size_t>(end - from));
    if (!info)
      throw Failure({problem.empty() ? ErrorCode::NotFound : ErrorCode::InvalidFile,
                     problem.empty() ? tr("contains no point yet") : problem, path().string()});
  }

  /// Whether what was read is still what stands in the file of that name.
  bool isSame(const FileDescriptor& now) const {
    const auto [identity, size] = identityAndSize(now);
    if (identity != identityAndSize(file).first || size < end) return false;
    const auto length = static_cast<std::int64_t>(tail.size());
    return evolutionBytes(now, path(), end - length, tail.size()) == tail;
  }
};

RecordedEvolution::RecordedEvolution() = default;
RecordedEvolution::~RecordedEvolution() = default;
RecordedEvolution::RecordedEvolution(RecordedEvolution&&) noexcept = default;
RecordedEvolution& RecordedEvolution::operator=(RecordedEvolution&&) noexcept = default;

Result<RecordedEvolution> RecordedEvolution::open(const std::filesystem::path& path) {
  return guarded(path.string(), [&] {
    const OpenFolder folder = valueOrThrow(OpenFolder::open(path));
    if (!folder.has(kEvolutionFile)) throw Failure(noRecording(folder));
    RecordedEvolution evolution;
    evolution.m_state = std::make_unique<State>(folder);
    State& state = *evolution.m_state;
    state.run = idOfRun(folder);
    state.file = valueOrThrow(folder.openToRead(kEvolutionFile));
    state.read();
    return evolution;
  });
}

const EvolutionInfo& RecordedEvolution::info() const {
  return *m_state->info;
}
const std::vector<EvolutionMoment>& RecordedEvolution::moments() const {
  return m_state->moments;
}

std::vector<std::string> RecordedEvolution::warnings() const {
  std::vector<std::string> warnings;
  const std::string name = m_state->path().string();
  if (m_state->damaged > 0)
    warnings.push_back(name + ": points left out as damaged: " + std::to_string(m_state->damaged));
  if (!m_state->problem.empty()) warnings.push_back(name + ": " + m_state->problem);
  return warnings;
}

std::size_t RecordedEvolution::momentAt(std::int64_t step) const {
  std::size_t at = 0;
  while (at + 1 < moments().size() && moments()[at + 1].step <= step)
    ++at;
  return at;
}

Result<EvolutionChange> RecordedEvolution::refresh() {
  return guarded(m_state->path().string(), [&] {
    if (m_state->folder.isGone())
      throw Failure(
          {ErrorCode::NotFound, tr("the run's folder was deleted"), m_state->path().string()});
    FileDescriptor now = valueOrThrow(m_state->folder.openToRead(kEvolutionFile));
    if (m_state->isSame(now)) {
      const std::size_t before = m_state->moments.size();
      m_state->read();
      return m_state->moments.size() > before ? EvolutionChange::Grown : EvolutionChange::None;
    }
    auto anew = std::make_unique<State>(m_state->folder);
    anew->run = idOfRun(m_state->folder);
    anew->file = std::move(now);
    anew->read();
    m_state = std::move(anew);
    return EvolutionChange::Anew;
  });
}

Result<EvolutionFrame> RecordedEvolution::frame(std::size_t moment) const {
  return guarded(m_state->path().string(), [&] {
    if (moment >= moments().size())
      throw Failure({ErrorCode::InvalidArgument,
                     "has " + std::to_string(moments().size()) + " points",
                     m_state->path().string()});
    std::optional<EvolutionPoint> point;
    valueOrThrow(scanEvolution(m_state->file, m_state->path(), m_state->places[moment].offset,
                               [&](EvolutionRecord&& record) {
                                 if (record.kind == kPointRecord && !record.damaged)
                                   point = pointFrom(record.content, m_state->beginning);
                                 return false;
                               }));
    if (!point || point->step != moments()[moment].step)
      throw Failure({ErrorCode::InvalidFile, tr("was changed while it was read; read it again"),
                     m_state->path().string()});
    return EvolutionFrame::from(std::move(*point), moments()[moment], m_state->info);
  });
}

Result<std::vector<LearnedMap>> RecordedEvolution::learned(std::size_t moment) {
  return guarded(m_state->path().string(), [&]() -> std::vector<LearnedMap> {
    const EvolutionFrame recorded = valueOrThrow(frame(moment));
    if (recorded.tensors().empty()) return {};
    if (!m_state->model) m_state->model = modelOfRun(m_state->folder);
    adoptTensors(*m_state->model, recorded.tensors(), m_state->path().string());
    return findLearnedMaps(*m_state->model);
  });
}

}  // namespace headlight
