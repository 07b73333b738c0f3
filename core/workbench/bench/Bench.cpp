// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/bench/Bench.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/attention/Mechanisms.h"
#include "core/attention/softmax/SoftmaxAttention.h"
#include "core/base/TorchCompat.h"
#include "core/base/Translation.h"
#include "core/masks/Neighborhood.h"
#include "core/models/Registry.h"
#include "core/models/backbones/Model.h"
#include "core/models/layers/Device.h"
#include "core/models/layers/Precision.h"
#include "core/models/layers/TransformerBlock.h"
#include "core/workbench/bench/DeviceMeter.h"
#include "core/workbench/bench/PassTimer.h"
#include "core/workbench/bench/PeakMemory.h"
#include "core/workbench/loading/TorchRuntime.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {
namespace {

void stopIfAsked(std::stop_token stop) {
  if (stop.stop_requested()) throw Failure({ErrorCode::Canceled, "stopped", "bench"});
}

/// A thing to time: what it computes, from a leaf that gradients reach.
struct Candidate {
  BenchRow row;
  PassTimer::Run run;
  at::Tensor input;
  std::function<std::string()> name = {};  ///< once it has run
  PassTimer timer = {};
};

void runForward(Candidate& candidate) {
  const at::NoGradGuard noGrad;
  candidate.run(candidate.input);
}

std::int64_t peakOf(const at::Device& device, const std::function<void()>& body) {
  return device.is_cpu() ? measurePeakBytes(body) : measurePeakTensorBytes(body, device);
}

/// Candidates take turns, so that a busy moment of the machine hits all of them.
void measure(std::vector<Candidate>& candidates, int repeats, const BenchSink& sink,
             std::stop_token stop, BenchProgress* progress = nullptr) {
  const auto count = [&](const Candidate& candidate) {
    if (progress) progress->step(candidate.row.name);
  };
  for (auto& candidate : candidates) {
    stopIfAsked(stop);
    runForward(candidate);  // warm
    const at::Device device = candidate.input.device();
    candidate.row.peakBytes =
        peakOf(device, [&] { runBothPasses(candidate.run, candidate.input); });
    if (candidate.name) candidate.row.name = candidate.name();
    candidate.row.device = device.str();
    count(candidate);
  }
  for (int i = 0; i < repeats; ++i)
    for (auto& candidate : candidates) {
      stopIfAsked(stop);
      candidate.timer.measure(candidate.run, candidate.input);
      count(candidate);
    }
  for (auto& candidate : candidates) {
    candidate.row.forwardMs = candidate.timer.forwardMs();
    candidate.row.backwardMs = candidate.timer.backwardMs();
    sink(candidate.row);
  }
}

std::vector<HeadMask> hardMasks(int heads, int window) {
  HeadMask hard;
  hard.kind = MaskKind::Hard;
  hard.window = window;
  return std::vector<HeadMask>(heads, hard);
}

ModelSource sourceOf(const std::string& name, const BenchOptions& options) {
  ModelSource source;
  source.model = name;
  source.device = options.device;
  source.threads = options.threads;
  return source;
}

/// What a device sets up when it is first used, in the threads of both passes, is no part of a
/// measurement.
void warm(const at::Device& device) {
  const at::Tensor x = at::ones({8, 8}, device).requires_grad_();
  at::mm(x, x).sum().backward();
  waitForDevice(device);
}

template <typename Body>
Result<void> benched(const BenchOptions& options, Body body) {
  return guarded("bench", [&] {
    if (options.repeats < 1 || options.batch < 1)
      throw Failure(
          {ErrorCode::InvalidArgument, tr("repeats and batch must be at least 1"), "bench"});
    configureCompute(options.threads);
    at::init_num_threads();  // counts are per thread, and a program calls from any
    const at::Device device = deviceFromConfig(options.device);
    for (const std::string& precision : options.precisions)
      precisionOn(device, precision, "--precision");
    warm(device);
    body(device);
  });
}

/// The same with its forward pass in `precision`; the backward pass is never within the scope.
Candidate inPrecision(Candidate candidate, const std::string& precision) {
  if (precision == "float32") return candidate;
  candidate.row.precision = precision;
  candidate.row.name += ", " + precision;
  candidate.run = [run = candidate.run,
                   wanted = precisionFromConfig(precision)](const at::Tensor& x) {
    const AutocastScope autocast(wanted, x.device());
    return run(x);
  };
  return candidate;
}

/// Neighborhoods of a grid without prefix as a mask for LibTorch, true where a row looks.
at::Tensor libraryMask(const Grid& grid, int window, const at::Device& device) {
  const auto ones = neighborhoodMask(grid, window);
  const at::Tensor mask = at::empty({grid.tokens(), grid.tokens()}, at::kByte);
  std::copy(ones.begin(), ones.end(), mask.data_ptr<std::uint8_t>());
  return mask.to(at::kBool).to(device);
}

/// For qkv [B, T, 3·D].
std::function<at::Tensor(const at::Tensor&)> libraryForm(int heads, const at::Tensor& mask) {
  return [heads, mask](const at::Tensor& qkv) {
    const at::Tensor parts =
        qkv.view({qkv.size(0), qkv.size(1), 3, heads, -1}).permute({2, 0, 3, 1, 4});
    return libraryAttention(parts[0], parts[1], parts[2], mask);
  };
}

std::vector<std::string> mechanismsOr(const std::vector<std::string>& wanted,
                                      const std::string& otherwise) {
  return wanted.empty() ? std::vector{otherwise} : wanted;
}

/// Options and masks were for the mechanism that it had.
BenchedModel withMechanism(BenchedModel model, const std::string& mechanism) {
  if (mechanism == model.config.mechanism) return model;
  model.config.mechanism = mechanism;
  model.config.attention = Json::object();
  return {checkedAndCompleted(model.config), {}};
}

}  // namespace

BenchedModel benchedModel(const std::string& nameOrFile) {
  if (const PublishedModel* published = findPublishedModel(nameOrFile)) {
    BenchedModel found{published->config, {}};
    found.masks.scheme = published->scheme;
    return found;
  }
  if (!std::filesystem::exists(nameOrFile))
    throw Failure({ErrorCode::NotFound,
                   tr("is neither a published model (see summary --list) nor a file"), nameOrFile});
  const Experiment experiment = valueOrThrow(loadExperiment(nameOrFile));
  return {experiment.model, experiment.masks};
}

std::vector<BenchSubject> benchSubjects(const BenchOptions& options) {
  std::vector<BenchSubject> models = options.given;
  for (const std::string& nameOrFile : options.models) {
    const BenchedModel own = benchedModel(nameOrFile);
    models.push_back({own.config.name.empty() ? nameOrFile : own.config.name, own});
  }
  std::vector<BenchSubject> subjects;
  for (const auto& [name, model] : models)
    for (const auto& mechanism : mechanismsOr(options.mechanisms, model.config.mechanism))
      subjects.push_back({options.mechanisms.empty() ? name : name + ", " + mechanism,
                          withMechanism(model, mechanism)});
  return subjects;
}

void BenchProgress::step(const std::string& what) {
  ++m_done;
  if (m_report) m_report({what, m_done, m_total, m_remaining.secondsRemaining(m_done, m_total)});
}

void requireLearning(const std::string& name, const ModelConfig& config, const std::string& place) {
  if (config.classes > 0 || taskOf(config) == Task::Rebuild) return;
  throw Failure({ErrorCode::InvalidConfig,
                 name + tr(" has no classes, so it has no training step; set model.classes"),
                 place});
}

std::vector<std::int64_t> benchBatches(const BenchOptions& options) {
  auto batches = options.batches.empty() ? std::vector{options.batch} : options.batches;
  for (const std::int64_t batch : batches)
    if (batch < 1)
      throw Failure({ErrorCode::InvalidArgument, tr("a batch has at least one image"), "bench"});
  return batches;
}

Result<void> benchAttention(const BenchOptions& options, const BenchSink& sink,
                            std::stop_token stop) {
  return benched(options, [&](const at::Device& device) {
    if (options.library && !kLibraryHasAttention)
      throw Failure({ErrorCode::InvalidArgument,
                     tr("this LibTorch has no built-in attention, which needs version 2.0"),
                     "--library"});
    const int width = options.heads * options.headWidth;
    for (const int side : options.sides) {
      const Grid grid{side, side, 0};
      const at::Tensor qkv = at::randn({options.batch, grid.tokens(), 3 * width}, device);
      const auto rowOf = [&](const std::string& kernel) {
        return BenchRow{"attention", "", kernel, grid.tokens(), options.batch};
      };
      std::vector<Candidate> candidates;
      for (const std::string kernel : {"linear", "dense"}) {
        if (kernel == "dense" && grid.tokens() > options.denseTokens) continue;
        auto layer = std::make_shared<SoftmaxAttention>(AttentionOptions{
            .width = width, .heads = options.heads, .grid = grid, .options = {{"kernel", kernel}}});
        layer->setMasks(hardMasks(options.heads, options.window));
        layer->to(device);
        candidates.push_back({rowOf(kernel),
                              [layer](const at::Tensor& x) { return layer->attend(x).output; }, qkv,
                              [layer] { return layer->kernelText(); }});
      }
      if (options.library && grid.tokens() <= options.denseTokens)
        candidates.push_back({rowOf("library"),
                              libraryForm(options.heads, libraryMask(grid, options.window, device)),
                              qkv, [] { return std::string("LibTorch's own, masked"); }});
      measure(candidates, options.repeats, sink, stop);
    }
  });
}

namespace {

Candidate blockCandidate(const Variant& mechanism, bool masked, const BenchOptions& options,
                         const at::Device& device) {
  constexpr int kSide = 56, kWidth = 96, kHeads = 3;  // H-MaiT-T, first stage
  const Grid grid{kSide, kSide, 0};
  BlockOptions wanted{.mechanism = mechanism.name,
                      .attention = {.width = kWidth, .heads = kHeads, .grid = grid}};
  if (mechanism.options) wanted.attention.options = completeOptions(*mechanism.options, {});
  auto block = std::make_shared<TransformerBlock>(wanted);
  if (masked) block->attention().setMasks(hardMasks(kHeads, options.window));
  block->to(device);
  const std::string name =
      options.mechanisms.empty() ? "h_mait_tiny, stage 0" : mechanism.name + ", stage 0";
  return {{"block", name, masked ? "masked" : "unmasked", grid.tokens(), options.batch},
          [block](const at::Tensor& x) { return block->forward(x, nullptr); },
          at::randn({options.batch, grid.tokens(), kWidth}, device)};
}

Candidate modelCandidate(const BenchedModel& benched, const std::string& name,
                         const BenchOptions& options, const at::Device& device,
                         bool recomputing = false) {
  const ModelConfig& config = benched.config;
  const auto model = makeModel(config, 0);
  model->setRecomputing(recomputing);
  const MaskScheme masks = valueOrThrow(resolveMasks(benched.masks, model->masks().shape()));
  model->setMasks(masks);
  model->to(device);
  return {
      {"model", name + (recomputing ? ", checkpointed blocks" : ""), masks.name(),
       model->grid(0).tokens(), options.batch},
      [model](const at::Tensor& images) {
        model->train(at::GradMode::is_enabled());
        return model->forward(images);
      },
      at::randn({options.batch, 3, config.imageHeightPixels(), config.imageWidthPixels()}, device)};
}

/// Those of one model take turns.
void addCandidates(std::vector<Candidate>& candidates, const BenchSubject& subject,
                   const BenchOptions& options, const at::Device& device) {
  for (const std::string& precision : options.precisions)
    for (const bool recomputing : {false, true})
      if (!recomputing || options.recomputing)
        candidates.push_back(inPrecision(
            modelCandidate(subject.model, subject.name, options, device, recomputing), precision));
}

}  // namespace

Result<void> benchBlock(const BenchOptions& options, const BenchSink& sink, std::stop_token stop) {
  return benched(options, [&](const at::Device& device) {
    std::vector<Candidate> candidates;
    for (const std::string& name : mechanismsOr(options.mechanisms, "softmax")) {
      const Variant& mechanism = findMechanism(name).variant;
      for (const std::string& precision : options.precisions)
        for (const bool masked : {true, false})
          if (!masked || mechanism.maskable)
            candidates.push_back(
                inPrecision(blockCandidate(mechanism, masked, options, device), precision));
    }
    measure(candidates, options.repeats, sink, stop);
  });
}

Result<void> benchModels(const BenchOptions& options, const BenchSink& sink, std::stop_token stop,
                         const ProgressCallback& progress) {
  return benched(options, [&](const at::Device& device) {
    const std::vector<BenchSubject> subjects = benchSubjects(options);
    const std::vector<std::int64_t> batches = benchBatches(options);
    const std::size_t turns = std::max<std::size_t>(1, options.mechanisms.size());
    const std::size_t rows = subjects.size() * batches.size() * options.precisions.size() *
                             (options.recomputing ? 2 : 1);
    BenchProgress passes(progress, static_cast<std::int64_t>(rows) * (options.repeats + 1));
    for (std::size_t first = 0; first < subjects.size(); first += turns)
      for (const std::int64_t batch : batches) {
        BenchOptions sized = options;
        sized.batch = batch;
        std::vector<Candidate> candidates;
        for (std::size_t i = first; i < first + turns; ++i)
          addCandidates(candidates, subjects[i], sized, device);
        measure(candidates, options.repeats, sink, stop, &passes);
      }
  });
}

Result<void> benchEdits(const BenchOptions& options, const BenchSink& sink, std::stop_token stop) {
  return benched(options, [&](const at::Device& device) {
    for (const auto& name : options.models) {
      const auto session = valueOrThrow(InferenceSession::open(sourceOf(name, options)));
      const ModelInfo& info = session->info();
      Image image;
      image.width = info.experiment.model.imageWidthPixels();
      image.height = info.experiment.model.imageHeightPixels();
      image.pixels = std::make_shared<const std::vector<std::uint8_t>>(
          std::size_t{3} * image.width * image.height, std::uint8_t{128});
      const MaskScheme open(makeMaskShape(info.experiment.model));
      for (int layer = 0; layer < open.maskableLayers(); ++layer) {
        stopIfAsked(stop);
        MaskScheme edited = open;
        edited.set(layer, 0, hardMasks(1, options.window)[0]);
        std::vector<double> times;
        for (int i = 0; i < options.repeats; ++i) {
          valueOrThrow(session->infer(image, open));
          times.push_back(valueOrThrow(session->infer(image, edited)).milliseconds);
        }
        BenchRow row{"edit", name + ", layer " + std::to_string(layer), "auto", info.grid.tokens()};
        row.device = device.str();
        row.forwardMs = median(times);
        sink(row);
      }
    }
  });
}

double growthExponent(const std::vector<BenchRow>& rows, const std::string& kernel, bool backward) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& row : rows) {
    if (row.kernel != kernel) continue;
    const double time = row.forwardMs + (backward ? row.backwardMs : 0);
    const double lx = std::log(static_cast<double>(row.tokens)), ly = std::log(time);
    ++n;
    x += lx;
    y += ly;
    xx += lx * lx;
    xy += lx * ly;
  }
  return n < 2 ? std::nan("") : (n * xy - x * y) / (n * xx - x * x);
}

}  // namespace headlight
