// SPDX-License-Identifier: GPL-3.0-or-later

// LCNet-ViT-S at 320 pixels beside the same network written from LibTorch's own modules, in one
// process, turn by turn: inference; forward and backward of the network alone, with a weighted sum
// of all that it says as the loss; and whole training steps, matching and SGD included (the peer has
// the same losses and LibTorch's own optimizer). First both must say the same and have the same
// gradients (exit code 1: they do not). Then what share of a step finding the cells that learn
// (SimOTA) takes, and of a prediction finding boxes in cells (suppression of overlapping ones
// included): at most 5 % each is wanted.

#include <ATen/ATen.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/optim/sgd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/Processor.h"
#include "core/models/Registry.h"
#include "core/models/backbones/Model.h"
#include "core/models/detection/FoundInCells.h"
#include "core/training/detection/BoxLosses.h"
#include "core/training/step/StepRunner.h"
#include "core/workbench/loading/TorchRuntime.h"

namespace {

using namespace headlight;

constexpr int kPixels = 320, kClasses = 80, kBins = 8;

// The peer: modules as a user of LibTorch writes them, under the names that Detector has.

struct PeerLayer : torch::nn::Module {
  virtual at::Tensor forward(const at::Tensor& x) = 0;
};
using PeerLayers = std::vector<std::shared_ptr<PeerLayer>>;

/// Children "0", "1", … one after the other.
struct PeerChain : PeerLayer {
  explicit PeerChain(const PeerLayers& given) {
    for (const auto& layer : given)
      layers.push_back(register_module(std::to_string(layers.size()), layer));
  }
  at::Tensor forward(const at::Tensor& x) override {
    at::Tensor result = x;
    for (const auto& layer : layers)
      result = layer->forward(result);
    return result;
  }
  PeerLayers layers;
};

struct PeerConv : PeerLayer {
  PeerConv(int in, int out, int kernel = 1, int stride = 1, int groups = 1) {
    conv = register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, kernel)
                                                         .stride(stride)
                                                         .padding(kernel / 2)
                                                         .groups(groups)
                                                         .bias(false)));
    bn = register_module("bn", torch::nn::BatchNorm2d(out));
  }
  at::Tensor forward(const at::Tensor& x) override {
    at::Tensor normed = bn(conv(x));
    return normed.requires_grad() ? at::hardswish(normed) : at::hardswish_(normed);
  }
  torch::nn::Conv2d conv{nullptr};
  torch::nn::BatchNorm2d bn{nullptr};
};

struct PeerSqueeze : PeerLayer {
  explicit PeerSqueeze(int width) {
    using torch::nn::Conv2d, torch::nn::Conv2dOptions;
    reduce = register_module("reduce", Conv2d(Conv2dOptions(width, width / 4, 1)));
    expand = register_module("expand", Conv2d(Conv2dOptions(width / 4, width, 1)));
  }
  at::Tensor forward(const at::Tensor& x) override {
    return x * at::hardsigmoid(expand(at::relu(reduce(at::adaptive_avg_pool2d(x, {1, 1})))));
  }
  torch::nn::Conv2d reduce{nullptr}, expand{nullptr};
};

struct PeerSeparable : PeerLayer {
  PeerSeparable(int in, int out, int kernel = 5, int stride = 1, bool squeezed = false) {
    depthwise =
        register_module("depthwise", std::make_shared<PeerConv>(in, in, kernel, stride, in));
    if (squeezed) se = register_module("se", std::make_shared<PeerSqueeze>(in));
    pointwise = register_module("pointwise", std::make_shared<PeerConv>(in, out));
  }
  at::Tensor forward(const at::Tensor& x) override {
    const at::Tensor mixed = depthwise->forward(x);
    return pointwise->forward(se ? se->forward(mixed) : mixed);
  }
  std::shared_ptr<PeerConv> depthwise, pointwise;
  std::shared_ptr<PeerSqueeze> se;
};

struct PeerAttention : PeerLayer {
  PeerAttention(int width, int headCount) : heads(headCount) {
    qkv = register_module("qkv", torch::nn::Linear(width, 3 * width));
    proj = register_module("proj", torch::nn::Linear(width, width));
  }
  at::Tensor forward(const at::Tensor& x) override {
    const std::int64_t images = x.size(0), tokens = x.size(1), each = x.size(2) / heads;
    const auto parts =
        qkv(x).reshape({images, tokens, 3, heads, each}).permute({2, 0, 3, 1, 4}).unbind(0);
    const at::Tensor logits =
        at::matmul(parts[0] * (1 / std::sqrt(static_cast<double>(each))), parts[1].transpose(2, 3));
    return proj(at::matmul(logits.softmax(-1), parts[2]).transpose(1, 2).reshape(x.sizes()));
  }
  std::int64_t heads;
  torch::nn::Linear qkv{nullptr}, proj{nullptr};
};

struct PeerMlp : PeerLayer {
  explicit PeerMlp(int width) {
    fc1 = register_module("fc1", torch::nn::Linear(width, 2 * width));
    fc2 = register_module("fc2", torch::nn::Linear(2 * width, width));
  }
  at::Tensor forward(const at::Tensor& x) override { return fc2(at::hardswish(fc1(x))); }
  torch::nn::Linear fc1{nullptr}, fc2{nullptr};
};

/// On a map.
struct PeerBlock : PeerLayer {
  PeerBlock(int width, double epsilon) {
    const auto options = torch::nn::LayerNormOptions({width}).eps(epsilon);
    norm1 = register_module("norm1", torch::nn::LayerNorm(options));
    attn = register_module("attn", std::make_shared<PeerAttention>(width, width / 32));
    norm2 = register_module("norm2", torch::nn::LayerNorm(options));
    mlp = register_module("mlp", std::make_shared<PeerMlp>(width));
  }
  at::Tensor forward(const at::Tensor& map) override {
    at::Tensor x = map.flatten(2).transpose(1, 2);
    x = x + attn->forward(norm1(x));
    x = x + mlp->forward(norm2(x));
    return x.transpose(1, 2).reshape(map.sizes());
  }
  torch::nn::LayerNorm norm1{nullptr}, norm2{nullptr};
  std::shared_ptr<PeerLayer> attn, mlp;
};

std::shared_ptr<PeerChain> peerChain(const PeerLayers& layers) {
  return std::make_shared<PeerChain>(layers);
}
std::shared_ptr<PeerLayer> peerSeparable(int in, int out, int kernel, int stride,
                                         bool squeezed = false) {
  return std::make_shared<PeerSeparable>(in, out, kernel, stride, squeezed);
}

/// LCNet-ViT-S: PP-LCNet at σ = 0.75.
struct PeerBackbone : torch::nn::Module {
  explicit PeerBackbone(double epsilon) {
    stem = register_module("stem", std::make_shared<PeerConv>(3, 16, 3, 2));
    stages = register_module(
        "stages", peerChain({peerChain({peerSeparable(16, 24, 3, 1)}),
                             peerChain({peerSeparable(24, 48, 3, 2), peerSeparable(48, 48, 3, 1)}),
                             peerChain({peerSeparable(48, 96, 3, 2), peerSeparable(96, 96, 3, 1)}),
                             peerChain({peerSeparable(96, 192, 3, 2)}),
                             peerChain({peerSeparable(192, 384, 5, 2, /*squeezed=*/true)})}));
    blocks = register_module("blocks", peerChain({std::make_shared<PeerBlock>(192, epsilon),
                                                  std::make_shared<PeerBlock>(384, epsilon)}));
  }
  /// Of strides 8, 16, 32.
  std::vector<at::Tensor> forward(const at::Tensor& images) {
    const auto& stage = stages->layers;
    at::Tensor fine = stem->forward(images);
    for (int s = 0; s < 3; ++s)
      fine = stage[s]->forward(fine);
    const at::Tensor middle = blocks->layers[0]->forward(stage[3]->forward(fine));
    return {fine, middle, blocks->layers[1]->forward(stage[4]->forward(middle))};
  }
  std::shared_ptr<PeerConv> stem;
  std::shared_ptr<PeerChain> stages, blocks;
};

struct PeerCoarse : torch::nn::Module {
  explicit PeerCoarse(int width) {
    lateral = register_module("lateral", peerSeparable(width, width, 5, 2));
    output = register_module("output", peerSeparable(width, width, 5, 2));
  }
  std::shared_ptr<PeerLayer> lateral, output;
};

struct PeerNeck : torch::nn::Module {
  explicit PeerNeck(int width) {
    const auto fusion = [&] {
      return peerChain(
          {peerSeparable(2 * width, 2 * width, 5, 1), peerSeparable(2 * width, width, 5, 1)});
    };
    lateral = register_module("lateral", peerChain({std::make_shared<PeerConv>(96, width),
                                                    std::make_shared<PeerConv>(192, width),
                                                    std::make_shared<PeerConv>(384, width)}));
    topDown = register_module("top_down", peerChain({fusion(), fusion()}));
    down = register_module(
        "down", peerChain({peerSeparable(width, width, 5, 2), peerSeparable(width, width, 5, 2)}));
    bottomUp = register_module("bottom_up", peerChain({fusion(), fusion()}));
    coarse = register_module("coarse", std::make_shared<PeerCoarse>(width));
  }
  static at::Tensor doubled(const at::Tensor& x) {
    return at::upsample_nearest2d(x, {2 * x.size(2), 2 * x.size(3)});
  }
  std::vector<at::Tensor> forward(const std::vector<at::Tensor>& maps) {
    std::vector<at::Tensor> in;
    for (std::size_t i = 0; i < maps.size(); ++i)
      in.push_back(lateral->layers[i]->forward(maps[i]));
    const at::Tensor middle = topDown->layers[0]->forward(at::cat({doubled(in[2]), in[1]}, 1));
    const at::Tensor fine = topDown->layers[1]->forward(at::cat({doubled(middle), in[0]}, 1));
    const at::Tensor out16 =
        bottomUp->layers[0]->forward(at::cat({down->layers[0]->forward(fine), middle}, 1));
    const at::Tensor out32 =
        bottomUp->layers[1]->forward(at::cat({down->layers[1]->forward(out16), in[2]}, 1));
    return {fine, out16, out32, coarse->lateral->forward(in[2]) + coarse->output->forward(out32)};
  }
  std::shared_ptr<PeerChain> lateral, topDown, down, bottomUp;
  std::shared_ptr<PeerCoarse> coarse;
};

struct PeerHead : PeerLayer {
  explicit PeerHead(int width) {
    layers = register_module("layers", peerChain({peerSeparable(width, width, 5, 1),
                                                  peerSeparable(width, width, 5, 1)}));
    predict = register_module(
        "predict", torch::nn::Conv2d(torch::nn::Conv2dOptions(width, kClasses + 4 * kBins, 1)));
  }
  at::Tensor forward(const at::Tensor& x) override {
    return predict(layers->forward(x)).flatten(2).transpose(1, 2);
  }
  std::shared_ptr<PeerChain> layers;
  torch::nn::Conv2d predict{nullptr};
};

struct PeerDetector : torch::nn::Module {
  explicit PeerDetector(double epsilon, int width = 96) {
    backbone = register_module("backbone", std::make_shared<PeerBackbone>(epsilon));
    neck = register_module("neck", std::make_shared<PeerNeck>(width));
    head = register_module(
        "head", peerChain({std::make_shared<PeerHead>(width), std::make_shared<PeerHead>(width),
                           std::make_shared<PeerHead>(width), std::make_shared<PeerHead>(width)}));
  }
  /// As Model's.
  CellScores forwardCells(const at::Tensor& images) {
    const std::vector<at::Tensor> maps = neck->forward(backbone->forward(images));
    CellScores scores;
    std::vector<at::Tensor> rows;
    for (std::size_t i = 0; i < maps.size(); ++i) {
      rows.push_back(head->layers[i]->forward(maps[i]));
      scores.levels.push_back({std::int64_t{8} << i, maps[i].size(2), maps[i].size(3)});
    }
    const at::Tensor all = at::cat(rows, 1);
    scores.logits = all.narrow(2, 0, kClasses);
    scores.sides = all.narrow(2, kClasses, 4 * kBins).reshape({all.size(0), all.size(1), 4, kBins});
    return scores;
  }
  std::shared_ptr<PeerBackbone> backbone;
  std::shared_ptr<PeerNeck> neck;
  std::shared_ptr<PeerChain> head;
};

// Both.

using NamedTensors = std::map<std::string, at::Tensor>;

NamedTensors tensorsOf(const torch::nn::Module& module) {
  NamedTensors tensors;
  for (const auto& item : module.named_parameters())
    tensors[item.key()] = item.value();
  for (const auto& item : module.named_buffers())
    tensors[item.key()] = item.value();
  return tensors;
}

/// As after training: norms that matter, and a head that lets something through.
void stir(const torch::nn::Module& module) {
  const at::NoGradGuard noGrad;
  for (auto& [name, tensor] : tensorsOf(module)) {
    at::Tensor values = tensor;
    if (name.ends_with("running_mean")) values.normal_(0, 0.1);
    if (name.ends_with("running_var") || name.ends_with("bn.weight")) values.uniform_(0.5, 1.5);
    if (name.starts_with("head.") && values.dim() > 1)
      values.normal_(0, std::sqrt(2.0 / static_cast<double>(values[0].numel())));
  }
}

/// Whether both have the same names and shapes; then `to` gets the values of `from`.
bool copied(const torch::nn::Module& from, const torch::nn::Module& to) {
  const at::NoGradGuard noGrad;
  const NamedTensors given = tensorsOf(from), taken = tensorsOf(to);
  const bool same = std::equal(given.begin(), given.end(), taken.begin(), taken.end(),
                               [](const auto& a, const auto& b) {
                                 return a.first == b.first && a.second.sizes() == b.second.sizes();
                               });
  if (!same) return false;
  for (const auto& [name, tensor] : taken)
    at::Tensor(tensor).copy_(given.at(name));
  return true;
}

/// What a step without matching minimizes: with fixed weights, so that no gradient is even.
struct SumLoss {
  at::Tensor logits, sides;

  explicit SumLoss(const CellScores& like)
      : logits(at::randn_like(like.logits)), sides(at::randn_like(like.sides)) {}
  at::Tensor of(const CellScores& scores) const {
    return (scores.logits * logits).sum() + (scores.sides * sides).sum();
  }
};

struct Network {
  torch::nn::Module* module;
  std::function<CellScores(const at::Tensor& images)> cells;

  CellScores infer(const at::Tensor& images) const {
    const at::NoGradGuard noGrad;
    module->eval();
    return cells(images);
  }
  void learn(const at::Tensor& images, const SumLoss& loss) const {
    module->train();
    module->zero_grad(/*set_to_none=*/true);
    loss.of(cells(images)).backward();
  }
};

double greatest(const at::Tensor& values) {
  return values.abs().max().item<double>();
}

double relativeDifference(const at::Tensor& a, const at::Tensor& b, double least = 1e-12) {
  return greatest(a - b) / std::max(greatest(b), least);
}

/// The greatest difference of a parameter's gradients beside the greatest of them. A bias that a
/// batch norm takes away again has no gradient but rounding, which is beside those of all.
double gradientDifference(const torch::nn::Module& ours, const torch::nn::Module& peer) {
  constexpr double kRoundedShare = 1e-4;
  const auto expected = peer.named_parameters();
  double all = 0, difference = 0;
  for (const auto& item : expected)
    all = std::max(all, greatest(item.value().grad()));
  for (const auto& item : ours.named_parameters())
    difference = std::max(
        difference,
        relativeDifference(item.value().grad(), expected[item.key()].grad(), kRoundedShare * all));
  return difference;
}

/// Whether outputs, and gradients of a training step, are equal but for rounding.
bool areSame(const Network& ours, const Network& peer, const at::Tensor& images,
             const SumLoss& loss) {
  constexpr double kOutputs = 1e-4, kGradients = 1e-3;
  const CellScores a = ours.infer(images), b = peer.infer(images);
  const double outputs =
      std::max(relativeDifference(a.logits, b.logits), relativeDifference(a.sides, b.sides));
  ours.learn(images, loss);
  peer.learn(images, loss);
  const double gradients = gradientDifference(*ours.module, *peer.module);
  std::printf("largest differences: outputs %.1e, gradients %.1e\n", outputs, gradients);
  return outputs < kOutputs && gradients < kGradients;
}

// Time.

/// Of one turn, the mean of as many as take a second.
double millisecondsOf(const std::function<void()>& turn) {
  constexpr double kLeast = 1000;
  const auto started = std::chrono::steady_clock::now();
  double took = 0;
  for (int turns = 1;; ++turns) {
    turn();
    took = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started)
               .count();
    if (took >= kLeast) return took / turns;
  }
}

double medianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// Both in turn, each pair from the other one on, after one turn of each that does not count.
void comparePairs(const char* what, int pairs, const std::function<void()>& ours,
                  const std::function<void()>& peer) {
  std::vector<double> own, others, ratios;
  ours();
  peer();
  for (int pair = 0; pair < pairs; ++pair) {
    const bool first = pair % 2 == 0;
    const double one = millisecondsOf(first ? ours : peer);
    const double other = millisecondsOf(first ? peer : ours);
    own.push_back(first ? one : other);
    others.push_back(first ? other : one);
    ratios.push_back(own.back() / others.back());
  }
  const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
  std::printf("%-14s %8.2f ms  of torch::nn %8.2f ms  ratio %.3f (%.3f to %.3f)\n", what,
              medianOf(own), medianOf(others), medianOf(ratios), *least, *most);
}

/// The part's median as a share of the whole's, measured in turn.
void printShare(const char* what, int pairs, const std::function<void()>& part,
                const std::function<void()>& whole) {
  std::vector<double> parts, shares;
  part();
  whole();
  for (int pair = 0; pair < pairs; ++pair) {
    parts.push_back(millisecondsOf(part));
    shares.push_back(100 * parts.back() / millisecondsOf(whole));
  }
  std::printf("%-14s %8.2f ms, %.2f %% (wanted: at most 5)\n", what, medianOf(parts),
              medianOf(shares));
}

/// Seven an image, as COCO has.
BatchBoxes drawnBoxes(std::int64_t images) {
  constexpr int kBoxes = 7;
  BatchBoxes truth(static_cast<std::size_t>(images));
  for (LabeledBoxes& boxes : truth)
    for (int i = 0; i < kBoxes; ++i) {
      const at::Tensor drawn = at::rand({4}, at::kDouble);
      const auto number = [&](int which) { return drawn[which].item<double>(); };
      const double width = 16 + number(2) * 144, height = 16 + number(3) * 144;
      boxes.push_back(
          {{number(0) * (kPixels - width), number(1) * (kPixels - height), width, height},
           i * 11 % kClasses,
           width * height,
           /*crowd=*/false});
    }
  return truth;
}

/// Scores moved so that so many an image are above the least one: what a trained detector leaves
/// for suppression, but none beside another, which suppresses least and so compares most.
CellScores withCandidates(CellScores scores, std::int64_t candidates) {
  const double least = FoundOptions().leastScore;
  const at::Tensor flat = scores.logits.reshape(-1);
  const at::Tensor best = std::get<0>(flat.topk(candidates * scores.logits.size(0)));
  const double last = best[best.numel() - 1].item<double>();
  scores.logits = scores.logits + (std::log(least / (1 - least)) - last);
  return scores;
}

at::Tensor boxLossOf(const CellScores& scores, const BatchBoxes& truth) {
  const BoxLossSums sums = sumBoxLosses(scores, truth);
  return boxLosses(sums, BoxDenominators{sums.positives, sums.weights.item<double>()}.of(1))
      .total();
}

/// At a rate that leaves the networks as they are.
TrainingConfig measuredTraining() {
  TrainingConfig config;
  config.optimizer = "sgd";
  config.epochs = 1000;
  config.warmupEpochs = 0;
  config.learningRate = 1e-6;
  config.weightDecay = 4e-5;
  config.clipGradient = 0;
  return config;
}

/// A step with everything in it.
void compareSteps(const std::shared_ptr<Model>& model, PeerDetector& peer, const Batch& batch,
                  int pairs) {
  constexpr std::int64_t kStepsPerEpoch = 1000;
  const TrainingConfig config = measuredTraining();
  StepRunner runner(model, at::kCPU, config, 0, kStepsPerEpoch);
  torch::optim::SGD optimizer(peer.parameters(), torch::optim::SGDOptions(config.learningRate)
                                                     .momentum(config.momentum)
                                                     .weight_decay(config.weightDecay));
  std::int64_t step = 0;
  model->train();
  peer.train();
  comparePairs(
      "whole step", pairs, [&] { runner.run(batch, step++); },
      [&] {
        optimizer.zero_grad();
        boxLossOf(peer.forwardCells(batch.images), batch.boxes).backward();
        optimizer.step();
      });
}

void measureMatching(const Network& ours, const Batch& batch, int pairs) {
  const at::Tensor& images = batch.images;
  const BatchBoxes& truth = batch.boxes;
  ours.module->train();
  CellScores scores = ours.cells(images);
  scores.logits = scores.logits.detach();
  scores.sides = scores.sides.detach();
  const at::Tensor background =
      (scores.logits.sigmoid().square() * at::softplus(scores.logits) * 0.75).sum(2);
  printShare(
      "matching", pairs, [&] { assignCells(scores, background, truth); },
      [&] {
        ours.module->zero_grad(/*set_to_none=*/true);
        boxLossOf(ours.cells(images), truth).backward();
      });
}

void measureSuppression(const Network& ours, const at::Tensor& images, int pairs) {
  constexpr std::int64_t kCandidates = 1000;
  const CellScores scores = withCandidates(ours.infer(images), kCandidates);
  const auto find = [&] { findBoxes(scores, kPixels, kPixels); };
  printShare("finding boxes", pairs, find, [&] {
    ours.infer(images);
    find();
  });
}

int numberAt(int count, char** arguments, int at, int otherwise) {
  return count > at ? std::atoi(arguments[at]) : otherwise;
}

ModelConfig measuredConfig() {
  return valueOrThrow(modelFromJson({{"backbone", "lcnet_vit"},
                                     {"layout", {{"size", "s"}}},
                                     {"classes", kClasses},
                                     {"image_size", kPixels}},
                                    modelCatalog()));
}

}  // namespace

int main(int count, char** arguments) {
  prepareProcessor(arguments);
  const int batch = numberAt(count, arguments, 1, 8), pairs = numberAt(count, arguments, 3, 5);
  if (count > 4 || batch < 1 || pairs < 1) {
    std::fprintf(stderr, "usage: bench_detection [BATCH 8] [THREADS 0: all cores] [PAIRS 5]\n");
    return 2;
  }
  configureCompute(numberAt(count, arguments, 2, 0));
  std::printf("LCNet-ViT-S-320, batch %d, %s\n", batch, computeDescription().c_str());
  const ModelConfig config = measuredConfig();
  const auto model = makeModel(config, 0);
  PeerDetector peer(config.normEpsilon);
  seedTorch(1);
  stir(*model);
  if (!copied(*model, peer)) return std::fprintf(stderr, "the networks have other tensors\n"), 1;
  const at::Tensor images = at::randn({batch, 3, kPixels, kPixels});
  const Network ours{model.get(), [&](const at::Tensor&x) { return model->forwardCells(x); }},
      others{&peer, [&](const at::Tensor&x) { return peer.forwardCells(x); }};
  const SumLoss loss(ours.infer(images));
  if (!areSame(ours, others, images, loss)) return std::printf("NOT THE SAME\n"), 1;
  comparePairs(
      "inference", pairs, [&] { ours.infer(images); }, [&] { others.infer(images); });
  comparePairs(
      "backward", pairs, [&] { ours.learn(images, loss); }, [&] { others.learn(images, loss); });
  Batch learned;
  learned.images = images;
  learned.labels = at::zeros({batch}, at::kLong);
  learned.boxes = drawnBoxes(batch);
  compareSteps(model, peer, learned, pairs);
  measureMatching(ours, learned, pairs);
  measureSuppression(ours, images, pairs);
  return 0;
}
