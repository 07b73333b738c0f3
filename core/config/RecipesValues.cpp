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

/// The detectors of Castling-ViT, Tables 3 and 5 to 7. What the paper leaves open is PicoDet's.
Recipe castlingDetection() {
  return {"castling-detection",
          "Castling-ViT, §4.1: detection with LCNet-ViT and ESNet-ViT",
          "For the backbones lcnet_vit and esnet_vit.",
          {{"training.optimizer", "sgd", "Castling-ViT, §4.1"},
           {"training.momentum", 0.9, "Castling-ViT, §4.1"},
           {"training.nesterov", false, "PicoDet"},
           {"training.schedule", "cosine", "PicoDet"},
           {"training.learning_rate", 0.4, "PicoDet-M's; the paper names none"},
           {"training.learning_rate_per", 320, "PicoDet-M: 4 GPUs with 80 each"},
           {"training.batch_size", 640, "Castling-ViT, §4.1: 8 GPUs with 80 each"},
           {"training.epochs", 300, "Castling-ViT, §4.1"},
           {"training.warmup_epochs", 1.64, "PicoDet: 300 steps; of COCO's 117,266 images"},
           {"training.warmup_learning_rate", 0.08, "PicoDet: a tenth of the rate"},
           {"training.min_learning_rate", 0.0, "PicoDet"},
           {"training.weight_decay", 4e-5, "Castling-ViT, §4.1"},
           {"training.decay_vectors", true, "PicoDet: norm_decay 0, of batch norms alone"},
           {"training.clip_gradient", 0.0, "PicoDet clips none"},
           {"training.ema_decay", 0.9998, "PicoDet"},
           {"training.ema_warmup", true, "PicoDet"},
           {"training.ema_restart", 40, "PicoDet: cycle_epoch"},
           {"training.mixup_alpha", 0.0, "PicoDet mixes no images"},
           {"training.cutmix_alpha", 0.0, "PicoDet mixes no images"},
           {"data.augment", true, "PicoDet"},
           {"data.box_crop", true, "PicoDet: RandomCrop"},
           {"data.flip", 0.5, "PicoDet: RandomFlip"},
           {"data.color_jitter", 0.5, "PicoDet: RandomDistort"},
           {"data.rand_augment", "", "PicoDet has none"},
           {"data.erasing", 0.0, "PicoDet erases nothing"},
           {"data.interpolation", "random", "PicoDet: BatchRandomResize, random_interp"},
           {"data.multi_scale", true, "PicoDet: BatchRandomResize, 256 to 384"},
           {"data.repeats", 1, "PicoDet repeats no image"}}};
}

/// The segmenters of Castling-ViT, Table 4: Mask2Former's released settings for ADE20K.
Recipe castlingSegmentation() {
  return {"castling-segmentation",
          "Castling-ViT, Table 4: segmentation with ViT-B and Mask2Former",
          "For the backbone vit_segmenter. 127 epochs of ADE20K have 160,000 steps, the paper's "
          "number.",
          {{"training.optimizer", "adamw", "Mask2Former"},
           {"training.beta1", 0.9, "Mask2Former: AdamW's own"},
           {"training.beta2", 0.999, "Mask2Former: AdamW's own"},
           {"training.epsilon", 1e-8, "Mask2Former: AdamW's own"},
           {"training.schedule", "poly", "Mask2Former: WarmupPolyLR, power 0.9"},
           {"training.learning_rate", 1e-4, "Mask2Former"},
           {"training.learning_rate_per", 0, "Mask2Former: for its batch alone"},
           {"training.backbone_rate", 0.1, "Mask2Former: BACKBONE_MULTIPLIER"},
           {"training.batch_size", 16, "Mask2Former"},
           {"training.epochs", 127, "Mask2Former: 160,000 steps; of ADE20K's 20,210 images"},
           {"training.warmup_epochs", 0.0, "Mask2Former: none"},
           {"training.min_learning_rate", 0.0, "Mask2Former"},
           {"training.weight_decay", 0.05, "Mask2Former: none of norms and embeddings"},
           {"training.clip_gradient", 0.01, "Mask2Former: of all gradients together"},
           {"training.ema_decay", 0.0, "Mask2Former has no average"},
           {"training.mixup_alpha", 0.0, "Mask2Former mixes no images"},
           {"training.cutmix_alpha", 0.0, "Mask2Former mixes no images"},
           {"model.drop_path", 0.0, "the paper names none"},
           {"data.augment", true, "Mask2Former"},
           {"data.segment_scales", true, "Mask2Former: ResizeShortestEdge, 0.5 to 2"},
           {"data.flip", 0.5, "Mask2Former: RandomFlip"},
           {"data.color_jitter", 0.5, "Mask2Former: COLOR_AUG_SSD"},
           {"data.rand_augment", "", "Mask2Former has none"},
           {"data.erasing", 0.0, "Mask2Former erases nothing"},
           {"data.repeats", 1, "Mask2Former repeats no image"}}};
}

/// Pre-training of MAE (He et al. 2022), and of Castling-ViT's Table 4.
Recipe mae() {
  return {"mae",
          "MAE, Table 8: pre-training",
          "For the backbone mae, whose options say how many patches are dropped.",
          {{"training.optimizer", "adamw", "MAE, Table 8: AdamW"},
           {"training.beta1", 0.9, "MAE, Table 8"},
           {"training.beta2", 0.95, "MAE, Table 8"},
           {"training.schedule", "cosine", "MAE, Table 8"},
           {"training.learning_rate", 1.5e-4, "MAE, Table 8: the base rate"},
           {"training.learning_rate_per", 256, "MAE, Table 8: base rate · batch / 256"},
           {"training.batch_size", 4096, "MAE, Table 8"},
           {"training.epochs", 800, "MAE, §4: 800 epochs"},
           {"training.warmup_epochs", 40, "MAE, Table 8"},
           {"training.warmup_learning_rate", 0.0, "facebookresearch/mae, lr_sched.py: from 0"},
           {"training.min_learning_rate", 0.0, "facebookresearch/mae, --min_lr"},
           {"training.weight_decay", 0.05, "MAE, Table 8"},
           {"training.mixup_alpha", 0.0, "MAE mixes no images"},
           {"training.cutmix_alpha", 0.0, "MAE mixes no images"},
           {"training.clip_gradient", 0.0, "facebookresearch/mae clips none"},
           {"training.ema_decay", 0.0, "facebookresearch/mae has no average"},
           {"data.augment", true, "MAE, Table 8: RandomResizedCrop"},
           {"data.min_scale", 0.2, "facebookresearch/mae, main_pretrain.py: scale"},
           {"data.min_ratio", 0.75, "torchvision's RandomResizedCrop: ratio"},
           {"data.flip", 0.5, "facebookresearch/mae, main_pretrain.py"},
           {"data.color_jitter", 0.0, "MAE, §4.1: no color jittering"},
           {"data.rand_augment", "", "MAE has none"},
           {"data.erasing", 0.0, "MAE erases nothing"},
           {"data.interpolation", "model", "facebookresearch/mae, main_pretrain.py: bicubic"},
           {"data.repeats", 1, "MAE repeats no image"}}};
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

/// The paper says the batch and the epochs; all else is as for AFT's other models.
Recipe aftFinetuning() {
  return {"aft-finetuning", "AFT, Table 8: from DeiT's weights, at 384 pixels",
          "Start from deit_base_patch16_384 (training.weights) with the model aft_conv_base_25_32. "
          "Position embeddings, class token, keys and queries begin anew (§5.3).",
          changed(deitValues(), {{"training.batch_size", 64, "AFT, §5.3"},
                                 {"training.epochs", 100, "AFT, §5.3 and Table 8"}})};
}

/// A linear classifier on a frozen model, as DINO trains it (Caron et al. 2021).
Recipe linearProbe() {
  return {"linear",
          "Fine-tuning: the head alone, as DINO's linear evaluation",
          "Start from trained weights (training.weights). headlight-cli adapt fits such a head in "
          "seconds, without augmentation.",
          {{"training.freeze", "all but the head", "DINO, eval_linear.py"},
           {"training.keep_classes", true, "ours: rows of classes of the same names"},
           {"training.optimizer", "sgd", "DINO, eval_linear.py: SGD"},
           {"training.momentum", 0.9, "DINO, eval_linear.py"},
           {"training.nesterov", false, "DINO, eval_linear.py: PyTorch's default"},
           {"training.schedule", "cosine", "DINO, eval_linear.py: CosineAnnealingLR"},
           {"training.learning_rate", 0.001, "DINO, eval_linear.py --lr"},
           {"training.learning_rate_per", 256, "DINO, eval_linear.py: lr · batch / 256"},
           {"training.batch_size", 1024, "DINO, README: 8 GPUs with 128 each"},
           {"training.epochs", 100, "DINO, eval_linear.py --epochs"},
           {"training.warmup_epochs", 0.0, "DINO, eval_linear.py: none"},
           {"training.min_learning_rate", 0.0, "DINO, eval_linear.py: eta_min"},
           {"training.weight_decay", 0.0, "DINO, eval_linear.py: we do not apply weight decay"},
           {"training.label_smoothing", 0.0, "DINO, eval_linear.py: CrossEntropyLoss"},
           {"training.mixup_alpha", 0.0, "DINO, eval_linear.py mixes no images"},
           {"training.cutmix_alpha", 0.0, "DINO, eval_linear.py mixes no images"},
           {"training.clip_gradient", 0.0, "DINO, eval_linear.py clips none"},
           {"training.ema_decay", 0.0, "DINO, eval_linear.py has no average"},
           {"model.drop_path", 0.0, "DINO, eval_linear.py: the backbone is in evaluation"},
           {"data.augment", true, "DINO, eval_linear.py: RandomResizedCrop"},
           {"data.min_scale", 0.08, "torchvision's RandomResizedCrop: scale"},
           {"data.min_ratio", 0.75, "torchvision's RandomResizedCrop: ratio"},
           {"data.flip", 0.5, "DINO, eval_linear.py: RandomHorizontalFlip"},
           {"data.color_jitter", 0.0, "DINO, eval_linear.py has none"},
           {"data.rand_augment", "", "DINO, eval_linear.py has none"},
           {"data.erasing", 0.0, "DINO, eval_linear.py erases nothing"},
           {"data.repeats", 1, "DINO, eval_linear.py repeats no image"}}};
}

/// PEFT's example for image classification.
Recipe loraTuning() {
  return {"lora", "Fine-tuning: LoRA, as PEFT's example for images",
          "Start from trained weights (training.weights). PEFT adds up four batches; "
          "training.batch_size has one.",
          changed(linearProbe().values,
                  {{"training.freeze", "", "with an adapter: all but the head and LoRA"},
                   {"training.adapter", "lora", "PEFT, image_classification_peft_lora"},
                   {"training.adapter_rank", 16, "PEFT, image_classification_peft_lora: r"},
                   {"training.adapter_alpha", 16.0, "PEFT, image_classification_peft_lora"},
                   {"training.adapter_dropout", 0.1, "PEFT, image_classification_peft_lora"},
                   {"training.adapter_layers", "q,v", "LoRA, §4.2: queries and values"},
                   {"training.optimizer", "adamw", "PEFT: transformers' Trainer"},
                   {"training.beta1", 0.9, "PEFT: transformers' Trainer"},
                   {"training.beta2", 0.999, "PEFT: transformers' Trainer"},
                   {"training.epsilon", 1e-8, "PEFT: transformers' Trainer"},
                   {"training.learning_rate", 5e-3, "PEFT, image_classification_peft_lora"},
                   {"training.learning_rate_per", 0, "PEFT: for its batch alone"},
                   {"training.batch_size", 128, "PEFT, image_classification_peft_lora"},
                   {"training.epochs", 5, "PEFT, image_classification_peft_lora"},
                   {"training.clip_gradient", 1.0, "PEFT: transformers' Trainer"}},
                  {"training.momentum", "training.nesterov"})};
}

/// All weights, slowest those that come first.
Recipe fineTuning() {
  return {"fine-tune", "Fine-tuning: all weights, as BEiT, Table 9",
          "Start from trained weights (training.weights). For ViT-B; ViT-L has 50 epochs, "
          "training.layer_decay 0.75 and model.drop_path 0.2. DeiT III (Touvron et al. 2022, "
          "Table 1) goes to more pixels otherwise: learning rate 1e-5 for 512 images, 20 epochs, "
          "weight decay 0.1, no decay by layers.",
          changed(deitValues(),
                  {{"training.layer_decay", 0.65, "BEiT, Table 9: of ViT-B"},
                   {"training.keep_classes", true, "ours: rows of classes of the same names"},
                   {"training.learning_rate", 4e-3, "BEiT, README: of ViT-B"},
                   {"training.learning_rate_per", 1024, "BEiT, Table 9: its batch"},
                   {"training.batch_size", 1024, "BEiT, Table 9"},
                   {"training.epochs", 100, "BEiT, Table 9: of ViT-B"},
                   {"training.warmup_epochs", 20, "BEiT, Table 9"},
                   {"training.min_learning_rate", 1e-6, "BEiT, Table 9"},
                   {"model.drop_path", 0.1, "BEiT, Table 9: of ViT-B"},
                   {"data.repeats", 1, "BEiT, Table 9: no repeated augmentation"}})};
}

}  // namespace

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all{{"deit", "DeiT, as timm trains it too", "", deitValues()},
                                       mait(),
                                       ibit(),
                                       castling(),
                                       castlingDetection(),
                                       castlingSegmentation(),
                                       mae(),
                                       lsla(),
                                       aft(),
                                       aftFinetuning(),
                                       linearProbe(),
                                       loraTuning(),
                                       fineTuning()};
  return all;
}

}  // namespace headlight
