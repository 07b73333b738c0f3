// SPDX-License-Identifier: GPL-3.0-or-later

// TimmRows.h: Perception Encoder (Bolya et al. 2025) and RoPE-ViT (Heo et al. 2024): ViTs whose
// positions are rotary, columns first.

#include "core/models/published/TimmRows.h"

namespace headlight {

std::vector<TimmRow> rotaryRows() {
  return {
      {kEva, "vit_pe_core_tiny_patch16_384", 384, kHalf, 1.0,
       R"({"embed_dim":192,"num_heads":3,"global_pool":"map","attn_type":"rope","use_pre_transformer_norm":true,"use_rot_pos_emb":true,"ref_feat_shape":[24,24],"rope_grid_offset":1.0,"rope_grid_indexing":"xy","attn_pool_num_heads":8,"attn_pool_mlp_ratio":4.0,"norm_eps":1e-05,"num_classes":512})"},
      {kEva, "vit_pe_core_small_patch16_384", 384, kHalf, 1.0,
       R"({"embed_dim":384,"num_heads":6,"global_pool":"map","attn_type":"rope","use_pre_transformer_norm":true,"use_rot_pos_emb":true,"ref_feat_shape":[24,24],"rope_grid_offset":1.0,"rope_grid_indexing":"xy","attn_pool_num_heads":8,"attn_pool_mlp_ratio":4.0,"norm_eps":1e-05,"num_classes":512})"},
      {kEva, "vit_pe_core_base_patch16_224", 224, kHalf, 1.0,
       R"({"global_pool":"map","attn_type":"rope","use_pre_transformer_norm":true,"use_rot_pos_emb":true,"ref_feat_shape":[14,14],"rope_grid_offset":1.0,"rope_grid_indexing":"xy","attn_pool_num_heads":8,"attn_pool_mlp_ratio":4.0,"norm_eps":1e-05,"num_classes":1024})"},
      {kEva, "vit_pe_core_large_patch14_336", 336, kHalf, 1.0,
       R"({"patch_size":14,"embed_dim":1024,"depth":24,"num_heads":16,"global_pool":"map","attn_type":"rope","use_pre_transformer_norm":true,"use_rot_pos_emb":true,"ref_feat_shape":[24,24],"rope_grid_offset":1.0,"rope_grid_indexing":"xy","attn_pool_num_heads":8,"attn_pool_mlp_ratio":4.0,"norm_eps":1e-05,"num_classes":1024})"},
      {kEva, "vit_pe_core_gigantic_patch14_448", 448, kHalf, 1.0,
       R"({"patch_size":14,"embed_dim":1536,"depth":50,"num_heads":16,"mlp_ratio":5.833333333333333,"global_pool":"map","attn_type":"rope","class_token":false,"use_pre_transformer_norm":true,"use_rot_pos_emb":true,"ref_feat_shape":[32,32],"rope_grid_indexing":"xy","attn_pool_num_heads":8,"attn_pool_mlp_ratio":4.0,"norm_eps":1e-05,"num_classes":1280})"},
      {kEva, "vit_pe_lang_large_patch14_448", 448, kHalf, 1.0,
       R"({"patch_size":14,"embed_dim":1024,"depth":23,"num_heads":16,"attn_type":"rope","class_token":true,"use_rot_pos_emb":true,"ref_feat_shape":[32,32],"rope_grid_offset":1.0,"rope_grid_indexing":"xy","use_pre_transformer_norm":true,"use_post_transformer_norm":false,"use_fc_norm":false,"init_values":0.1,"norm_eps":1e-05,"num_classes":0})"},
      {kEva, "vit_pe_lang_gigantic_patch14_448", 448, kHalf, 1.0,
       R"({"patch_size":14,"embed_dim":1536,"depth":47,"num_heads":16,"mlp_ratio":5.833333333333333,"attn_type":"rope","class_token":false,"use_rot_pos_emb":true,"ref_feat_shape":[32,32],"rope_grid_indexing":"xy","use_pre_transformer_norm":true,"use_post_transformer_norm":false,"use_fc_norm":false,"init_values":0.1,"norm_eps":1e-05,"num_classes":0})"},
      {kEva, "vit_pe_spatial_tiny_patch16_512", 512, kHalf, 1.0,
       R"({"embed_dim":192,"num_heads":3,"attn_type":"rope","use_pre_transformer_norm":true,"use_post_transformer_norm":false,"use_fc_norm":false,"use_rot_pos_emb":true,"ref_feat_shape":[32,32],"rope_grid_offset":1.0,"rope_grid_indexing":"xy","norm_eps":1e-05,"num_classes":0})"},
      {kEva, "vit_pe_spatial_small_patch16_512", 512, kHalf, 1.0,
       R"({"embed_dim":384,"num_heads":6,"attn_type":"rope","use_pre_transformer_norm":true,"use_post_transformer_norm":false,"use_fc_norm":false,"use_rot_pos_emb":true,"ref_feat_shape":[32,32],"rope_grid_offset":1.0,"rope_grid_indexing":"xy","norm_eps":1e-05,"num_classes":0})"},
      {kEva, "vit_pe_spatial_base_patch16_512", 512, kHalf, 1.0,
       R"({"attn_type":"rope","use_pre_transformer_norm":true,"use_post_transformer_norm":false,"use_fc_norm":false,"use_rot_pos_emb":true,"ref_feat_shape":[32,32],"rope_grid_offset":1.0,"rope_grid_indexing":"xy","norm_eps":1e-05,"num_classes":0})"},
      {kEva, "vit_pe_spatial_large_patch14_448", 448, kHalf, 1.0,
       R"({"patch_size":14,"embed_dim":1024,"depth":24,"num_heads":16,"attn_type":"rope","use_pre_transformer_norm":true,"use_post_transformer_norm":false,"use_fc_norm":false,"use_rot_pos_emb":true,"ref_feat_shape":[32,32],"rope_grid_offset":1.0,"rope_grid_indexing":"xy","norm_eps":1e-05,"num_classes":0})"},
      {kEva, "vit_pe_spatial_gigantic_patch14_448", 448, kHalf, 1.0,
       R"({"patch_size":14,"embed_dim":1536,"depth":50,"num_heads":16,"mlp_ratio":5.833333333333333,"attn_type":"rope","class_token":false,"use_rot_pos_emb":true,"ref_feat_shape":[32,32],"rope_grid_indexing":"xy","use_pre_transformer_norm":true,"use_post_transformer_norm":false,"use_fc_norm":false,"init_values":0.1,"norm_eps":1e-05,"num_classes":0})"},
      {kEva, "vit_small_patch16_rope_224", 224, kImageNet, 0.9,
       R"({"embed_dim":384,"num_heads":6,"attn_type":"rope","qkv_bias":true,"init_values":1e-05,"class_token":true,"global_pool":"token","use_abs_pos_emb":false,"use_rot_pos_emb":true,"rope_grid_indexing":"xy","rope_temperature":100.0})"},
      {kEva, "vit_base_patch16_rope_224", 224, kImageNet, 0.9,
       R"({"attn_type":"rope","use_fc_norm":false,"qkv_bias":true,"init_values":1e-05,"class_token":true,"global_pool":"token","use_abs_pos_emb":false,"use_rot_pos_emb":true,"rope_grid_indexing":"xy","rope_temperature":100.0})"},
      {kEva, "vit_large_patch16_rope_224", 224, kImageNet, 0.9,
       R"({"embed_dim":1024,"depth":24,"num_heads":16,"attn_type":"rope","qkv_bias":true,"init_values":1e-05,"class_token":true,"global_pool":"token","use_abs_pos_emb":false,"use_rot_pos_emb":true,"rope_grid_indexing":"xy","rope_temperature":100.0})"},
      {kEva, "vit_small_patch16_rope_mixed_224", 224, kImageNet, 0.9,
       R"({"embed_dim":384,"num_heads":6,"attn_type":"rope","qkv_bias":true,"init_values":1e-05,"class_token":true,"global_pool":"token","use_abs_pos_emb":false,"use_rot_pos_emb":true,"rope_grid_indexing":"xy","rope_temperature":10.0,"rope_type":"mixed"})"},
      {kEva, "vit_base_patch16_rope_mixed_224", 224, kImageNet, 0.9,
       R"({"qkv_bias":true,"attn_type":"rope","init_values":1e-05,"class_token":true,"global_pool":"token","use_abs_pos_emb":false,"use_rot_pos_emb":true,"rope_grid_indexing":"xy","rope_temperature":10.0,"rope_type":"mixed"})"},
      {kEva, "vit_large_patch16_rope_mixed_224", 224, kImageNet, 0.9,
       R"({"embed_dim":1024,"depth":24,"num_heads":16,"attn_type":"rope","qkv_bias":true,"init_values":1e-05,"class_token":true,"global_pool":"token","use_abs_pos_emb":false,"use_rot_pos_emb":true,"rope_grid_indexing":"xy","rope_temperature":10.0,"rope_type":"mixed"})"},
      {kEva, "vit_small_patch16_rope_ape_224", 224, kImageNet, 0.9,
       R"({"embed_dim":384,"num_heads":6,"attn_type":"rope","qkv_bias":true,"init_values":1e-05,"class_token":true,"global_pool":"token","no_embed_class":true,"use_abs_pos_emb":true,"use_rot_pos_emb":true,"rope_grid_indexing":"xy","rope_temperature":100.0})"},
      {kEva, "vit_base_patch16_rope_ape_224", 224, kImageNet, 0.9,
       R"({"attn_type":"rope","qkv_bias":true,"init_values":1e-05,"class_token":true,"global_pool":"token","no_embed_class":true,"use_abs_pos_emb":true,"use_rot_pos_emb":true,"rope_grid_indexing":"xy","rope_temperature":100.0})"},
      {kEva, "vit_large_patch16_rope_ape_224", 224, kImageNet, 0.9,
       R"({"embed_dim":1024,"depth":24,"num_heads":16,"attn_type":"rope","qkv_bias":true,"init_values":1e-05,"class_token":true,"global_pool":"token","no_embed_class":true,"use_abs_pos_emb":true,"use_rot_pos_emb":true,"rope_grid_indexing":"xy","rope_temperature":100.0})"},
      {kEva, "vit_small_patch16_rope_mixed_ape_224", 224, kImageNet, 0.9,
       R"({"embed_dim":384,"num_heads":6,"attn_type":"rope","qkv_bias":true,"init_values":1e-05,"class_token":true,"global_pool":"token","no_embed_class":true,"use_abs_pos_emb":true,"use_rot_pos_emb":true,"rope_grid_indexing":"xy","rope_temperature":10.0,"rope_type":"mixed"})"},
      {kEva, "vit_base_patch16_rope_mixed_ape_224", 224, kImageNet, 0.9,
       R"({"attn_type":"rope","qkv_bias":true,"init_values":1e-05,"class_token":true,"global_pool":"token","no_embed_class":true,"use_abs_pos_emb":true,"use_rot_pos_emb":true,"rope_grid_indexing":"xy","rope_temperature":10.0,"rope_type":"mixed"})"},
      {kEva, "vit_large_patch16_rope_mixed_ape_224", 224, kImageNet,
       0.9, R"({"embed_dim":1024,"depth":24,"num_heads":16,"attn_type":"rope","qkv_bias":true,"init_values":1e-05,"class_token":true,"global_pool":"token","no_embed_class":true,"use_abs_pos_emb":true,"use_rot_pos_emb":true,"rope_grid_indexing":"xy","rope_temperature":10.0,"rope_type":"mixed"})"},
  };
}

}  // namespace headlight
