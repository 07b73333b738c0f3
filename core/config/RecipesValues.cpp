// SPDX-License-Identifier: GPL-3.0-or-later

// Recipes.h: the values: DeiT's in whole, of the papers what differs from it.

#include <algorithm>

#include "core/config/Recipes.h"

namespace headlight {
namespace {

using Values = std::vector<RecipeValue>;

/// facebookresearch/deit: main.py's defaults, trained as its README says.
const Values& deitValues() {
  static const Values values{
      {"training.optimizer", "adamw", "DeiT, main.py --opt"},
      {"training.beta1", 0.9, "DeiT, main.py --opt-betas: AdamW's own"},
      {"training.beta2", 0.999, "DeiT, main.py --opt-betas: AdamW's own"},
      {"training.epsilon", 1e-8, "DeiT, main.py --opt-eps"},
      {"training.schedule", "cosine", "DeiT, main.py --sched"},
      {"training.learning_rate", 5e-4, "DeiT, main.py --lr"},
      {"training.learning_rate_per", 512, "DeiT, main.py: lr · batch / 512"},
      {"training.batch_size", 1024, "DeiT, README: 4 GPUs with 256 each"},
      {"training.epochs", 300, "DeiT, main.py --epochs"},
      {"training.warmup_epochs", 5, "DeiT, main.py --warmup-epochs"},
      {"training.warmup_learning_rate", 1e-6, "DeiT, main.py --warmup-lr, not scaled"},
      {"training.min_learning_rate", 1e-5, "DeiT, main.py --min-lr, not scaled"},
      {"training.weight_decay", 0.05, "DeiT, main.py --weight-decay"},
      {"training.label_smoothing", 0.1, "DeiT, main.py --smoothing"},
      {"training.mixup_alpha", 0.8, "DeiT, main.py --mixup"},
      {"training.cutmix_alpha", 1.0, "DeiT, main.py --cutmix, either with probability 0.5"},
      {"training.clip_gradient", 0.0, "DeiT, main.py --clip-grad: none"},
      // main.py keeps an average of 0.99996 beside the weights, and measures the weights.
      {"training.ema_decay", 0.0, "DeiT, main.py measures the weights themselves"},
      {"model.drop_path", 0.1, "DeiT, main.py --drop-path"},
      {"model.drop_path_mode", "linear", "timm: rates rise linearly from 0"},
      {"data.augment", true, "DeiT, main.py: timm's create_transform"},
      {"data.min_scale", 0.08, "timm's create_transform: scale"},
      {"data.min_ratio", 0.75, "timm's create_transform: ratio"},
      {"data.flip", 0.5, "timm's create_transform: hflip"},
      {"data.color_jitter", 0.0, "timm leaves it off beside RandAugment"},
      {"data.rand_augment", "rand-m9-mstd0.5-inc1", "DeiT, main.py --aa"},
      {"data.erasing", 0.25, "DeiT, main.py --reprob"},
      {"data.erasing_mode", "pixel", "DeiT, main.py --remode"},
      {"data.erasing_count", 1, "DeiT, main.py --recount"},
      {"data.interpolation", "model", "DeiT, main.py --train-interpolation"},
      {"data.repeats", 3, "DeiT, main.py --repeated-aug"}};
  return values;
}

/// `base` without the paths `left`, and with `own` in place of or after its values.
Values changed(Values base, const Values& own, const std::vector<std::string>& left = {}) {
  for (const std::string& path : left)
    std::erase_if(base, [&](const RecipeValue& value) { return value.path == path; });
  for (const RecipeValue& value : own) {
    const auto same = std::find_if(
        base.begin(), base.end(), [&](const RecipeValue& each) { return each.path == value.path; });
    if (same == base.end())
      base.push_back(value);
    else
      *same = value;
  }
  return base;
}

Recipe mait() {
  return {"mait", "MaiT, Table 8: MaiT-T of 24 layers",
          "MaiT-XS and -S have a learning rate of 0.0005, models of 12 layers 300 epochs (§5.1); "
          "drop path is the model's own (Table 8).",
          changed(deitValues(),
                  {{"training.learning_rate", 1e-3, "MaiT, Table 8: 0.001 × batch/512"},
                   {"training.learning_rate_per", 512, "MaiT, Table 8: 0.001 × batch/512"},
                   {"training.batch_size", 1024, "MaiT, §5.1"},
                   {"training.epochs", 400, "MaiT, §5.1: of more than 12 layers"}},
                  {"model.drop_path", "model.drop_path_mode"})};
}

Recipe ibit() {
  return {"ibit", "IBiT, Table 5",
          "No drop path on the feed-forward branch (§4.1): model.layout.mlp_drop_path no, as "
          "ibit_tiny has it.",
          changed(deitValues(),
                  {{"training.learning_rate", 1e-3, "IBiT, Table 5"},
                   {"training.learning_rate_per", 1024, "DeiT's rate at 1024 images is Table 5's"},
                   {"training.epochs", 300, "IBiT, §4.1"},
                   {"training.weight_decay", 0.005, "IBiT, Table 5"},
                   {"training.label_smoothing", 0.1, "IBiT, Table 5"},
                   {"training.mixup_alpha", 0.0, "IBiT, Table 5: N/A"},
                   {"training.cutmix_alpha", 0.0, "IBiT, Table 5: N/A; §4.1: it hinders"},
                   {"model.drop_path", 0.1, "IBiT, Table 5"}})};
}

Recipe castling() {
  return {"castling", "Castling-ViT, §4.1: classification with LeViT",
          "Castling-DeiT and -MViTv2 have a batch of 2048, for which the rate then is given. The "
          "paper distils from a teacher of 85.5 % besides (training.distillation), and names no "
          "augmentation: DeiT's.",
          changed(deitValues(),
                  {{"training.optimizer", "sgd", "Castling-ViT, §4.1"},
                   {"training.momentum", 0.9, "Castling-ViT, §4.1"},
                   {"training.nesterov", false, "Castling-ViT, §4.1 names none"},
                   {"training.schedule", "exponential", "Castling-ViT, §4.1"},
                   {"training.decay_rate", 0.9875, "Castling-ViT, §4.1: per epoch"},
                   {"training.learning_rate", 2.0, "Castling-ViT, §4.1"},
                   {"training.learning_rate_per", 4096, "its batch; the scaling is ours"},
                   {"training.batch_size", 4096, "Castling-ViT, §4.1: 64 GPUs with 64 each"},
                   {"training.epochs", 1000, "Castling-ViT, §4.1"},
                   {"training.warmup_epochs", 11, "Castling-ViT, §4.1"},
                   {"training.warmup_learning_rate", 0.01, "Castling-ViT, §4.1"},
                   {"training.min_learning_rate", 0.0, "Castling-ViT, §4.1 names none"},
                   {"training.weight_decay", 2e-5, "Castling-ViT, §4.1"}},
                  {"training.beta1", "training.beta2", "training.epsilon", "model.drop_path",
                   "model.drop_path_mode"})};
}

/// What the paper does not say is Swin's: §4.1 follows it.
Recipe lsla() {
  return {"lsla", "ViT-LSLA, §4.1: with Swin's settings", "",
          changed(deitValues(),
                  {{"training.learning_rate", 2.5e-4, "ViT-LSLA, §4.1"},
                   {"training.learning_rate_per", 256, "ViT-LSLA, §4.1: for 256 images"},
                   {"training.batch_size", 256, "ViT-LSLA, §4.1"},
                   {"training.epochs", 300, "ViT-LSLA, §4.1"},
                   {"training.warmup_epochs", 20, "Swin, config.py WARMUP_EPOCHS"},
                   {"training.warmup_learning_rate", 2.5e-7, "Swin, config.py: 5e-7 for 512"},
                   {"training.min_learning_rate", 2.5e-6, "Swin, config.py: 5e-6 for 512"},
                   {"training.weight_decay", 0.05, "ViT-LSLA, §4.1"},
                   {"training.clip_gradient", 5.0, "Swin, config.py CLIP_GRAD"},
                   {"training.ema_decay", 0.0, "Swin has no average"},
                   {"model.drop_path", 0.2, "Swin-T's"},
                   {"data.repeats", 1, "Swin repeats no image"}})};
}

Recipe aft() {
  return {"aft", "AFT, §5.3: DeiT's, on ImageNet",
          "Its sequence models are trained by `sequence train` (§5.1, §5.2).", deitValues()};
}

}  // namespace

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all{{"deit", "DeiT, as timm trains it too", "", deitValues()},
                                       mait(),
                                       ibit(),
                                       castling(),
                                       lsla(),
                                       aft()};
  return all;
}

}  // namespace headlight
