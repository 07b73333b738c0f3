// SPDX-License-Identifier: GPL-3.0-or-later

// TimmRows.h: CLIP.

#include "core/models/published/TimmRows.h"

namespace headlight {

std::vector<TimmRow> clipRows() {
  return {
      {kVit, "vit_base_patch16_clip_224", 224, kClip, 0.95,
       R"({"pre_norm":true,"norm_eps":1e-05})"},
      {kVit, "vit_base_patch16_clip_384", 384, kClip, 1.0, R"({"pre_norm":true,"norm_eps":1e-05})",
       true},
      {kVit, "vit_base_patch16_clip_quickgelu_224", 224, kClip, 1.0,
       R"({"pre_norm":true,"act_layer":"quick_gelu","num_classes":512,"norm_eps":1e-05})"},
      {kVit, "vit_base_patch16_plus_clip_240", 240, kClip, 1.0,
       R"({"embed_dim":896,"num_heads":14,"pre_norm":true,"num_classes":640,"norm_eps":1e-05})"},
      {kVit, "vit_base_patch32_clip_224", 224, kClip, 0.9,
       R"({"patch_size":32,"pre_norm":true,"norm_eps":1e-05})"},
      {kVit, "vit_base_patch32_clip_256", 256, kClip, 1.0,
       R"({"patch_size":32,"pre_norm":true,"num_classes":512,"norm_eps":1e-05})"},
      {kVit, "vit_base_patch32_clip_384", 384, kClip, 1.0,
       R"({"patch_size":32,"pre_norm":true,"norm_eps":1e-05})"},
      {kVit, "vit_base_patch32_clip_448", 448, kClip, 1.0,
       R"({"patch_size":32,"pre_norm":true,"norm_eps":1e-05})"},
      {kVit, "vit_base_patch32_clip_quickgelu_224", 224, kClip, 0.9,
       R"({"patch_size":32,"pre_norm":true,"act_layer":"quick_gelu","num_classes":512,"norm_eps":1e-05})"},
      {kVit, "vit_betwixt_patch32_clip_224", 224, kClip, 0.9,
       R"({"patch_size":32,"embed_dim":640,"num_heads":10,"pre_norm":true,"num_classes":512,"norm_eps":1e-05})"},
      {kVit, "vit_giant_patch14_clip_224", 224, kClip, 1.0,
       R"({"patch_size":14,"embed_dim":1408,"mlp_ratio":4.363636363636363,"depth":40,"num_heads":16,"pre_norm":true,"num_classes":1024,"norm_eps":1e-05})"},
      {kVit, "vit_gigantic_patch14_clip_224", 224, kClip, 1.0,
       R"({"patch_size":14,"embed_dim":1664,"mlp_ratio":4.923076923076923,"depth":48,"num_heads":16,"pre_norm":true,"num_classes":1280,"norm_eps":1e-05})"},
      {kVit, "vit_gigantic_patch14_clip_378", 378, kClip, 1.0,
       R"({"patch_size":14,"embed_dim":1664,"mlp_ratio":4.923076923076923,"depth":48,"num_heads":16,"pre_norm":true,"num_classes":1280,"norm_eps":1e-05})",
       true},
      {kVit, "vit_gigantic_patch14_clip_quickgelu_224", 224, kClip, 1.0,
       R"({"patch_size":14,"embed_dim":1664,"mlp_ratio":4.923076923076923,"depth":48,"num_heads":16,"pre_norm":true,"act_layer":"quick_gelu","num_classes":1280,"norm_eps":1e-05})"},
      {kVit, "vit_huge_patch14_clip_224", 224, kClip, 1.0,
       R"({"patch_size":14,"embed_dim":1280,"depth":32,"num_heads":16,"pre_norm":true,"norm_eps":1e-05})"},
      {kVit, "vit_huge_patch14_clip_336", 336, kClip, 1.0,
       R"({"patch_size":14,"embed_dim":1280,"depth":32,"num_heads":16,"pre_norm":true,"norm_eps":1e-05})",
       true},
      {kVit, "vit_huge_patch14_clip_378", 378, kClip, 1.0,
       R"({"patch_size":14,"embed_dim":1280,"depth":32,"num_heads":16,"pre_norm":true,"num_classes":1024,"norm_eps":1e-05})"},
      {kVit, "vit_huge_patch14_clip_quickgelu_224", 224, kClip, 1.0,
       R"({"patch_size":14,"embed_dim":1280,"depth":32,"num_heads":16,"pre_norm":true,"act_layer":"quick_gelu","num_classes":1024,"norm_eps":1e-05})"},
      {kVit, "vit_huge_patch14_clip_quickgelu_378", 378, kClip, 1.0,
       R"({"patch_size":14,"embed_dim":1280,"depth":32,"num_heads":16,"pre_norm":true,"act_layer":"quick_gelu","num_classes":1024,"norm_eps":1e-05})"},
      {kVit, "vit_large_patch14_clip_224", 224, kHalf, 1.0,
       R"({"patch_size":14,"embed_dim":1024,"depth":24,"num_heads":16,"pre_norm":true,"norm_eps":1e-05})"},
      {kVit, "vit_large_patch14_clip_336", 336, kHalf, 1.0,
       R"({"patch_size":14,"embed_dim":1024,"depth":24,"num_heads":16,"pre_norm":true,"norm_eps":1e-05})",
       true},
      {kVit, "vit_large_patch14_clip_quickgelu_224", 224, kClip, 1.0,
       R"({"patch_size":14,"embed_dim":1024,"depth":24,"num_heads":16,"pre_norm":true,"act_layer":"quick_gelu","num_classes":768,"norm_eps":1e-05})"},
      {kVit, "vit_large_patch14_clip_quickgelu_336", 336, kClip, 1.0,
       R"({"patch_size":14,"embed_dim":1024,"depth":24,"num_heads":16,"pre_norm":true,"act_layer":"quick_gelu","num_classes":768,"norm_eps":1e-05})"},
      {kVit, "vit_medium_patch16_clip_224", 224, kClip, 0.9,
       R"({"embed_dim":512,"num_heads":8,"pre_norm":true,"num_classes":512,"norm_eps":1e-05})"},
      {kVit, "vit_medium_patch32_clip_224", 224, kClip, 0.9,
       R"({"patch_size":32,"embed_dim":512,"num_heads":8,"pre_norm":true,"num_classes":512,"norm_eps":1e-05})"},
      {kVit, "vit_xsmall_patch16_clip_224", 224, kClip, 0.9,
       R"({"embed_dim":256,"depth":10,"num_heads":4,"pre_norm":true,"num_classes":512,"norm_eps":1e-05})"},
  };
}

}  // namespace headlight
