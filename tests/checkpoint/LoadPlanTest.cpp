// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/checkpoint/CheckpointTesting.h"

namespace headlight::testing {
namespace {

/// A ViT's names, a width of 4, with a rows × cols grid behind `prefix` position tokens.
NamedTensors vit(std::int64_t rows, std::int64_t cols, std::int64_t prefix, float fill) {
  NamedTensors tensors{{"cls_token", at::full({1, 1, 4}, fill)}};
  if (prefix == 2) tensors.emplace_back("dist_token", at::full({1, 1, 4}, fill));
  tensors.emplace_back("pos_embed", at::full({1, prefix + rows * cols, 4}, fill));
  tensors.emplace_back("head.weight", at::full({10, 4}, fill));
  tensors.emplace_back("head.bias", at::full({10}, fill));
  return tensors;
}

Checkpoint fileOf(NamedTensors tensors) {
  Checkpoint checkpoint;
  checkpoint.tensors = std::move(tensors);
  return checkpoint;
}

at::Tensor& named(NamedTensors& tensors, const std::string& name) {
  for (auto& [key, tensor] : tensors)
    if (key == name) return tensor;
  throw std::out_of_range(name);
}

LoadPlan plan(const NamedTensors& model, NamedTensors file, const PositionLayout& layout) {
  return valueOrThrow(planLoad(model, fileOf(std::move(file)), layout));
}

using Names = std::vector<std::string>;

TEST(LoadPlan, EverythingMatches) {
  const NamedTensors model = vit(3, 3, 1, 0);
  const LoadPlan all = plan(model, vit(3, 3, 1, 5), {1, 3, 3});
  EXPECT_TRUE(all.report.complete());
  EXPECT_EQ(all.report.summary(), "4 matched");
  ASSERT_TRUE(applyLoad(model, all).ok());
  for (const auto& [name, tensor] : model)
    EXPECT_TRUE(at::all(tensor == 5).item<bool>()) << name;
}

TEST(LoadPlan, NothingIsReplacedByPlanning) {
  const NamedTensors model = vit(3, 3, 1, 0);
  (void)plan(model, vit(4, 4, 1, 5), {1, 3, 3});
  for (const auto& [name, tensor] : model)
    EXPECT_TRUE(at::all(tensor == 0).item<bool>()) << name;
}

TEST(LoadPlan, MissingUnexpectedAndMismatchedAreListedAndTheRestLoads) {
  NamedTensors model = vit(3, 3, 1, 0);
  model.emplace_back("blocks.0.attn.soft_mask_logit", at::zeros({3}));
  NamedTensors file = vit(3, 3, 1, 5);
  named(file, "head.weight") = at::ones({1000, 4});
  file.emplace_back("fc_norm.weight", at::ones({4}));
  const LoadPlan partly = plan(model, file, {1, 3, 3});
  const LoadReport& report = partly.report;
  EXPECT_FALSE(report.complete());
  EXPECT_EQ(report.matched, (Names{"cls_token", "pos_embed", "head.bias"}));
  EXPECT_EQ(report.missing, (Names{"blocks.0.attn.soft_mask_logit"}));
  EXPECT_EQ(report.unexpected, (Names{"fc_norm.weight"}));
  ASSERT_EQ(report.mismatched.size(), 1u);
  EXPECT_EQ(report.mismatched[0].file, (std::vector<std::int64_t>{1000, 4}));
  EXPECT_EQ(report.mismatched[0].model, (std::vector<std::int64_t>{10, 4}));
  EXPECT_EQ(report.summary(),
            "3 matched, 1 missing: blocks.0.attn.soft_mask_logit, 1 unexpected: fc_norm.weight, "
            "1 of another shape: head.weight ([1000, 4] in the file, [10, 4] in the model)");
  ASSERT_TRUE(applyLoad(model, partly).ok());
  EXPECT_EQ(named(model, "head.weight").sum().item<float>(), 0);
  EXPECT_EQ(named(model, "head.bias").sum().item<float>(), 50);
}

TEST(LoadPlan, ValuesKeptApartAreTakenFromAFusedProjection) {
  const NamedTensors model{{"blocks.0.attn.q.weight", at::zeros({2, 4})},
                           {"blocks.0.attn.v.weight", at::zeros({2, 4})},
                           {"blocks.0.attn.v.bias", at::zeros({2})}};
  const at::Tensor fused = at::arange(24).view({6, 4}).to(at::kDouble);
  const LoadPlan taken = plan(
      model, {{"blocks.0.attn.qkv.weight", fused}, {"blocks.0.attn.qkv.bias", at::arange(6)}}, {});
  EXPECT_EQ(taken.report.missing, (Names{"blocks.0.attn.q.weight"}));
  EXPECT_TRUE(taken.report.unexpected.empty());
  ASSERT_EQ(taken.report.taken.size(), 2u);
  EXPECT_EQ(taken.report.taken[0].name, "blocks.0.attn.v.weight");
  EXPECT_EQ(taken.report.taken[0].from, "blocks.0.attn.qkv.weight");
  EXPECT_EQ(taken.report.taken[0].part, "rows 4 to 5 of 6");
  EXPECT_EQ(taken.report.summary(),
            "0 matched, 2 taken from a part: blocks.0.attn.v.weight from blocks.0.attn.qkv.weight, "
            "blocks.0.attn.v.bias from blocks.0.attn.qkv.bias, 1 missing: blocks.0.attn.q.weight");
  ASSERT_TRUE(applyLoad(model, taken).ok());
  EXPECT_TRUE(at::equal(model[1].second, fused.slice(0, 4, 6).to(at::kFloat)));
  EXPECT_TRUE(at::equal(model[2].second, at::tensor({4.0f, 5.0f})));
  EXPECT_EQ(model[0].second.sum().item<float>(), 0);
}

TEST(LoadPlan, AFusedProjectionOfAnotherShapeOrBesideItsPartsIsNotTakenApart) {
  const NamedTensors model{{"blocks.0.attn.v.weight", at::zeros({2, 4})}};
  const auto reportOf = [&](NamedTensors file) { return plan(model, std::move(file), {}).report; };
  for (const auto& fused :
       {at::ones({4, 4}), at::ones({6, 3}), at::ones({6}), at::ones({6, 4, 1})}) {
    const LoadReport other = reportOf({{"blocks.0.attn.qkv.weight", fused}});
    EXPECT_TRUE(other.taken.empty());
    EXPECT_EQ(other.missing, (Names{"blocks.0.attn.v.weight"}));
    EXPECT_EQ(other.unexpected, (Names{"blocks.0.attn.qkv.weight"}));
  }
  const LoadReport both = reportOf({{"blocks.0.attn.v.weight", at::ones({2, 4})},
                                    {"blocks.0.attn.qkv.weight", at::ones({6, 4})}});
  EXPECT_EQ(both.matched, (Names{"blocks.0.attn.v.weight"}));
  EXPECT_EQ(both.unexpected, (Names{"blocks.0.attn.qkv.weight"}));
}

TEST(LoadPlan, LongListsAreCutInTheSummaryOnly) {
  NamedTensors model;
  for (int i = 0; i < 9; ++i)
    model.emplace_back(std::string("p") += std::to_string(i), at::zeros({1}));
  const LoadPlan none = plan(model, {}, {});
  EXPECT_EQ(none.report.missing.size(), 9u);
  EXPECT_EQ(none.report.summary(), "0 matched, 9 missing: p0, p1, p2, p3, p4 and 4 more");
}

TEST(LoadPlan, ValuesTakeTheDtypeOfTheModel) {
  const NamedTensors model{{"a", at::zeros({2})},
                           {"b", at::zeros({2}, at::kDouble)},
                           {"n", at::zeros({}, at::kLong)},
                           {"i", at::zeros({2}, at::kLong)}};
  const LoadPlan cast = plan(model,
                             {{"a", at::full({2}, 1.5, at::kHalf)},
                              {"b", at::full({2}, -3, at::kBFloat16)},
                              {"n", at::full({}, 7, at::kInt)},
                              {"i", at::full({2}, 0.5)}},
                             {});
  EXPECT_EQ(cast.report.matched, (Names{"a", "b", "n"}));
  ASSERT_EQ(cast.report.mismatched.size(), 1u) << "fractions do not fit whole numbers";
  EXPECT_NE(cast.report.summary().find("i (another kind of number)"), std::string::npos);
  EXPECT_EQ(cast.values[0].second.scalar_type(), at::kFloat);
  ASSERT_TRUE(applyLoad(model, cast).ok());
  EXPECT_EQ(model[0].second[0].item<float>(), 1.5f);
  EXPECT_EQ(model[1].second[1].item<double>(), -3);
  EXPECT_EQ(model[2].second.item<std::int64_t>(), 7);
}

TEST(LoadPlan, ParametersThatNeedGradientsAreFilledInPlace) {
  const at::Tensor parameter = at::zeros({3}).requires_grad_();
  const NamedTensors model{{"w", parameter}};
  ASSERT_TRUE(applyLoad(model, plan(model, {{"w", at::ones({3})}}, {})).ok());
  EXPECT_EQ(parameter.sum().item<float>(), 3);
  EXPECT_TRUE(parameter.requires_grad());
  EXPECT_TRUE(parameter.is_leaf());
}

/// Against timm's resample_abs_pos_embed, run by another LibTorch call from Python. Tolerance 1e-6:
/// the same arithmetic in float32 on values of about 1.
TEST(LoadPlan, PositionsAreResizedAsTimmDoes) {
  struct Case {
    const char* name;
    PositionLayout layout;
    const char* change;
  };
  Checkpoint vectors = valueOrThrow(readCheckpoint(golden("position_resize.safetensors")));
  for (const Case& c :
       {Case{"shrink", {1, 12, 12}, "14×14 → 12×12"}, Case{"grow", {2, 10, 10}, "7×7 → 10×10"},
        Case{"oblong", {1, 6, 11}, "8×8 → 6×11"}, Case{"bare", {0, 9, 9}, "6×6 → 9×9"}}) {
    SCOPED_TRACE(c.name);
    const at::Tensor from = named(vectors.tensors, c.name + std::string(".from"));
    const at::Tensor to = named(vectors.tensors, c.name + std::string(".to"));
    const NamedTensors model{{"pos_embed", at::zeros_like(to)}};
    const LoadPlan resized = plan(model, {{"pos_embed", from}}, c.layout);
    ASSERT_EQ(resized.report.resized.size(), 1u);
    EXPECT_EQ(resized.report.resized[0].how, "bicubic");
    EXPECT_EQ(resized.report.resized[0].change, c.change);
    EXPECT_EQ(resized.report.resized[0].from, from.sizes().vec());
    EXPECT_EQ(resized.report.resized[0].to, to.sizes().vec());
    EXPECT_TRUE(resized.report.complete());
    EXPECT_EQ(resized.report.summary(),
              std::string("0 matched, 1 resized (pos_embed ") + c.change + ")");
    EXPECT_LE((resized.values[0].second - to).abs().max().item<double>(), 1e-6);
    const std::int64_t prefix = c.layout.prefixTokens;
    EXPECT_TRUE(at::equal(resized.values[0].second.slice(1, 0, prefix), from.slice(1, 0, prefix)));
  }
}

TEST(LoadPlan, ResizedPositionsTakeTheDtypeOfTheModel) {
  const NamedTensors model{{"pos_embed", at::zeros({1, 10, 4}, at::kDouble)}};
  const LoadPlan resized =
      plan(model, {{"pos_embed", at::ones({1, 17, 4}, at::kBFloat16)}}, {1, 3, 3});
  ASSERT_EQ(resized.values.size(), 1u);
  EXPECT_EQ(resized.values[0].second.scalar_type(), at::kDouble);
  EXPECT_LE((resized.values[0].second - 1).abs().max().item<double>(), 1e-6);
}

TEST(LoadPlan, APositionThatTheFileLacksKeepsTheModels) {
  // A distilled model, a file without distillation token.
  const NamedTensors model = vit(3, 3, 2, -1);
  const LoadPlan distilled = plan(model, vit(4, 4, 1, 5), {2, 3, 3});
  ASSERT_EQ(distilled.report.resized.size(), 1u);
  EXPECT_EQ(distilled.report.resized[0].how,
            "bicubic, 1 prefix position(s) not in the file kept from the model");
  EXPECT_EQ(distilled.report.missing, (Names{"dist_token"}));
  const at::Tensor value = distilled.values[1].second;
  ASSERT_EQ(value.sizes(), (std::vector<std::int64_t>{1, 11, 4}));
  EXPECT_EQ(value[0][0][0].item<float>(), 5);
  EXPECT_EQ(value[0][1][0].item<float>(), -1);
  EXPECT_NEAR(value[0][2][0].item<float>(), 5, 1e-5);
}

TEST(LoadPlan, TheSameGridWithAnotherPrefixIsNotResampled) {
  NamedTensors file = vit(3, 4, 2, 0);
  named(file, "pos_embed") = at::rand({1, 14, 4});
  const LoadPlan dropped = plan(vit(3, 4, 1, 0), file, {1, 3, 4});
  ASSERT_EQ(dropped.report.resized.size(), 1u);
  EXPECT_EQ(dropped.report.resized[0].how, "same grid, 1 prefix position(s) of the file dropped");
  const at::Tensor from = named(file, "pos_embed");
  const at::Tensor expected = at::cat({from.slice(1, 0, 1), from.slice(1, 2)}, 1);
  EXPECT_TRUE(at::equal(dropped.values[1].second, expected));
  EXPECT_EQ(dropped.report.unexpected, (Names{"dist_token"}));
}

TEST(LoadPlan, ModelsWhosePrefixHasNoPositionAreResized) {
  // CaiT: a class token, but 9 positions for 9 patches.
  const NamedTensors model{{"cls_token", at::zeros({1, 1, 4})},
                           {"pos_embed", at::zeros({1, 9, 4})}};
  const LoadPlan cait = plan(
      model, {{"cls_token", at::ones({1, 1, 4})}, {"pos_embed", at::ones({1, 16, 4})}}, {1, 3, 3});
  ASSERT_EQ(cait.report.resized.size(), 1u);
  EXPECT_EQ(cait.report.resized[0].change, "4×4 → 3×3");
}

TEST(LoadPlan, PositionsThatCannotBeResizedAreMismatched) {
  const auto mismatched = [](at::Tensor file, const PositionLayout& layout) {
    const NamedTensors model{{"pos_embed", at::zeros({1, 10, 4})}};
    const LoadPlan made = plan(model, {{"pos_embed", std::move(file)}}, layout);
    return made.report.mismatched.size() == 1 && made.values.empty();
  };
  EXPECT_TRUE(mismatched(at::zeros({1, 17, 8}), {1, 3, 3})) << "another width";
  EXPECT_TRUE(mismatched(at::zeros({1, 15, 4}), {1, 3, 3})) << "no square grid";
  EXPECT_TRUE(mismatched(at::zeros({2, 17, 4}), {1, 3, 3})) << "a batch of two";
  EXPECT_TRUE(mismatched(at::zeros({17, 4}), {1, 3, 3})) << "two dimensions";
  EXPECT_TRUE(mismatched(at::zeros({1, 0, 4}), {1, 3, 3})) << "nothing in it";
  EXPECT_TRUE(mismatched(at::zeros({1, 1, 4}), {1, 3, 3}) == false) << "a 1 × 1 grid is a grid";
  EXPECT_TRUE(mismatched(at::zeros({1, 17, 4}, at::kLong), {1, 3, 3})) << "whole numbers";
  EXPECT_TRUE(mismatched(at::zeros({1, 17, 4}), {1, 5, 5})) << "a layout that is not the model's";
  EXPECT_TRUE(mismatched(at::zeros({1, 17, 4}), {1, 0, 0})) << "an empty layout";
  EXPECT_TRUE(mismatched(at::zeros({1, 17, 4}), {1, INT64_MAX, INT64_MAX})) << "a huge layout";
}

TEST(LoadPlan, ApplyingIsAllOrNone) {
  const NamedTensors model = vit(3, 3, 1, 0);
  LoadPlan stale = plan(model, vit(3, 3, 1, 5), {1, 3, 3});
  stale.values.back().second = at::ones({11});
  const auto applied = applyLoad(model, stale);
  expectRefused(applied, ErrorCode::InvalidArgument, "Nothing was loaded");
  for (const auto& [name, tensor] : model)
    EXPECT_TRUE(at::all(tensor == 0).item<bool>()) << name;
  stale.values.back() = {"no such name", at::ones({10})};
  expectRefused(applyLoad(model, stale), ErrorCode::InvalidArgument, "Nothing was loaded");
}

TEST(LoadPlan, NamesGivenTwiceAreRefused) {
  const NamedTensors twice{{"a", at::ones({1})}, {"a", at::ones({1})}};
  expectRefused(planLoad(twice, fileOf({}), {}), ErrorCode::InvalidArgument, "twice");
  expectRefused(planLoad({}, fileOf(twice), {}), ErrorCode::InvalidArgument, "twice");
}

TEST(LoadPlan, TheGoldenFilesFillEachOther) {
  const Checkpoint expected = valueOrThrow(readCheckpoint(golden("vit_micro.safetensors")));
  NamedTensors model;
  for (const auto& [name, tensor] : expected.tensors)
    model.emplace_back(name, at::zeros_like(tensor));
  const Checkpoint file = valueOrThrow(readCheckpoint(golden("vit_micro_training_checkpoint.pth")));
  const LoadPlan whole = valueOrThrow(planLoad(model, file, {1, 8, 8}));
  EXPECT_EQ(whole.report.summary(), "44 matched");
  ASSERT_TRUE(applyLoad(model, whole).ok());
  expectSameTensors(model, expected.tensors);
}

}  // namespace
}  // namespace headlight::testing
