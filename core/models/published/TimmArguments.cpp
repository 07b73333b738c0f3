// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/published/TimmArguments.h"

#include <functional>
#include <map>
#include <unordered_set>

#include "core/base/Translation.h"

namespace headlight {
namespace {

[[noreturn]] void refuse(ErrorCode code, const std::string& argument, const std::string& why) {
  throw Failure({code, why, tr("timm's argument ") + argument});
}

bool flag(const std::string& name, const Json& value) {
  if (!value.is_boolean()) refuse(ErrorCode::InvalidConfig, name, tr("must be true or false"));
  return value.get<bool>();
}

/// In the range that the config's own table allows, which is checked later: here only that it is a
/// number that an int holds.
int whole(const std::string& name, const Json& value) {
  if (!value.is_number_integer() || value < 0 || value > 1000000)
    refuse(ErrorCode::InvalidConfig, name, tr("must be a whole number from 0 to 1000000"));
  return value.get<int>();
}

double number(const std::string& name, const Json& value) {
  if (!value.is_number()) refuse(ErrorCode::InvalidConfig, name, tr("must be a number"));
  return value.get<double>();
}

std::vector<int> wholes(const std::string& name, const Json& value) {
  if (!value.is_array()) return {whole(name, value), whole(name, value)};
  if (value.size() != 2) refuse(ErrorCode::InvalidConfig, name, tr("must be one number or two"));
  return {whole(name, value[0]), whole(name, value[1])};
}

/// One of those that are known here, as ours.
std::string oneOf(const std::string& name, const Json& value,
                  const std::map<std::string, std::string>& known) {
  const auto found = value.is_string() ? known.find(value.get<std::string>()) : known.end();
  if (found != known.end()) return found->second;
  refuse(ErrorCode::UnsupportedFile, name,
         value.dump() + tr(" is not supported; this model cannot be opened"));
}

void setSize(const Json& value, ModelConfig& config) {
  const auto sides = wholes("img_size", value);
  config.imageSize = sides[0];
  config.imageWidth = sides[1] == sides[0] ? 0 : sides[1];
}

void setPooling(const Json& value, ModelConfig& config) {
  const std::string pooling =
      oneOf("global_pool", value, {{"token", "token"}, {"avg", "mean"}, {"map", "attention"}});
  config.layout["pooling"] = pooling;
  config.layout["pool_norm"] = pooling == "mean";
}

/// Whether there is a norm at the end, and whether it comes after pooling.
void setNorms(ModelConfig& config, bool any, bool pooled) {
  config.layout["final_norm"] = any;
  config.layout["pool_norm"] = any && pooled && config.layout.value("pool_norm", false);
}

/// Whose ratio counts both halves of its first layer: those of timm's ViT, not of its EVA.
bool isPacked(const ModelConfig& config) {
  return config.layout.value("mlp", "plain") == "swiglu" &&
         config.layout.value("names", "vit") == "vit";
}

void setPacked(ModelConfig& config) {
  if (!isPacked(config)) config.mlpRatio /= 2;
  config.layout["mlp"] = "swiglu";
}

using Setter = std::function<void(const std::string& name, const Json&, ModelConfig&)>;

template <typename Member>
Setter into(Member ModelConfig::*member) {
  return [member](const std::string& name, const Json& value, ModelConfig& config) {
    if constexpr (std::is_same_v<Member, bool>)
      config.*member = flag(name, value);
    else if constexpr (std::is_same_v<Member, int>)
      config.*member = whole(name, value);
    else
      config.*member = number(name, value);
  };
}

/// Into an option of the backbone (`attention` false) or of its attention.
Setter intoFlag(bool attention, const char* option, bool inverted = false) {
  return [=](const std::string& name, const Json& value, ModelConfig& config) {
    (attention ? config.attention : config.layout)[option] = flag(name, value) != inverted;
  };
}

const std::map<std::string, Setter>& setters() {
  using C = ModelConfig;
  static const Setter registers = into(&C::registers);
  static const Setter preNorm = intoFlag(false, "norm_pre"),
                      poolNorm = intoFlag(false, "pool_norm");
  static const std::map<std::string, Setter> all{
      {"img_size", [](auto&, auto& v, C& c) { setSize(v, c); }},
      {"patch_size",
       [](auto& n, auto& v, C& c) {
         const auto sides = wholes(n, v);
         if (sides[0] != sides[1])
           refuse(ErrorCode::UnsupportedFile, n, tr("non-square patches are not supported"));
         c.patchSize = sides[0];
       }},
      {"embed_dim", into(&C::width)},
      {"depth", into(&C::depth)},
      {"num_heads", into(&C::heads)},
      {"mlp_ratio",
       [](auto& n, auto& v, C& c) { c.mlpRatio = number(n, v) / (isPacked(c) ? 2 : 1); }},
      {"qkv_bias", into(&C::qkvBias)},
      {"num_classes", into(&C::classes)},
      {"class_token", into(&C::classToken)},
      {"reg_tokens", registers},
      {"num_reg_tokens", registers},
      {"init_values",
       [](auto& n, auto& v, C& c) { c.layerScale = v.is_null() ? 0 : number(n, v); }},
      {"norm_eps", into(&C::normEpsilon)},
      {"global_pool", [](auto&, auto& v, C& c) { setPooling(v, c); }},
      {"fc_norm", poolNorm},
      {"use_fc_norm", poolNorm},
      {"pre_norm", preNorm},
      {"use_pre_transformer_norm", preNorm},
      {"final_norm", [](auto& n, auto& v, C& c) { setNorms(c, flag(n, v), flag(n, v)); }},
      {"use_post_transformer_norm",
       [](auto& n, auto& v, C& c) {
         const bool pooled = c.layout.value("pool_norm", false);
         if (v.is_null()) return;
         if (flag(n, v) && pooled)
           refuse(ErrorCode::UnsupportedFile, n,
                  tr("models with a norm both before and after pooling are not supported"));
         setNorms(c, flag(n, v) || pooled, pooled);
       }},
      {"use_post_norm",
       [](auto& n, auto& v, C& c) {
         c.layout["post_norm"] = flag(n, v);
         if (flag(n, v)) c.layerScale = 0;  // what init_values says is passed over there
       }},
      {"pool_include_prefix", intoFlag(false, "pool_prefix")},
      {"attn_pool_num_heads",
       [](auto& n, auto& v, C& c) { c.layout["pool_heads"] = v.is_null() ? 0 : whole(n, v); }},
      {"attn_pool_mlp_ratio",
       [](auto& n, auto& v, C& c) { c.layout["pool_ratio"] = v.is_null() ? 0.0 : number(n, v); }},
      {"scale_attn_norm", intoFlag(true, "inner_norm")},
      {"scale_mlp_norm",
       [](auto& n, auto& v, C& c) { c.layout["mlp"] = flag(n, v) ? "plain_norm" : "plain"; }},
      {"attn_type",
       [](auto& n, auto& v, C& c) {
         c.layout["names"] = oneOf(n, v, {{"eva", "beit"}, {"rope", "eva"}});
       }},
      {"rope_grid_offset",
       [](auto& n, auto& v, C& c) { c.attention["rotary_offset"] = number(n, v); }},
      {"rope_grid_indexing",
       [](auto& n, auto& v, C& c) {
         c.attention["rotary_columns_first"] = oneOf(n, v, {{"ij", ""}, {"xy", "xy"}}) == "xy";
       }},
      {"no_embed_class", intoFlag(false, "prefix_positions", /*inverted=*/true)},
      {"use_abs_pos_emb",
       [](auto& n, auto& v, C& c) { c.positions = flag(n, v) ? "learned" : "none"; }},
      {"pos_embed",
       [](auto& n, auto& v, C& c) {
         c.positions = oneOf(n, v, {{"learn", "learned"}, {"none", "none"}, {"", "none"}});
       }},
      {"act_layer",
       [](auto& n, auto& v, C& c) {
         const bool gated = c.layout.value("mlp", "plain").starts_with("swiglu");
         if (gated && v == "silu") return;  // of the gate, the only one that is known here
         c.layout["activation"] = oneOf(
             n, v, {{"gelu", "gelu"}, {"quick_gelu", "quick_gelu"}, {"gelu_tanh", "gelu_tanh"}});
       }},
      {"mlp_layer",
       [](auto& n, auto& v, C& c) {
         if (oneOf(n, v, {{"swiglu_packed", "packed"}, {"swiglu", "apart"}}) == "packed")
           setPacked(c);
         else
           c.layout["mlp"] = "swiglu_apart";
       }},
      {"norm_layer",
       [](auto& n, auto& v, C& c) {
         c.layout["norm"] =
             v.is_null() ? "layer" : oneOf(n, v, {{"layernorm", "layer"}, {"rmsnorm", "rms"}});
       }},
      {"embed_norm_layer",
       [](auto& n, auto& v, C& c) {
         const std::string own = c.layout.value("norm", "layer");
         if (!v.is_null()) oneOf(n, v, {{own + "norm", own}});
         c.layout["patch_norm"] = !v.is_null();
       }},
      {"proj_bias", intoFlag(false, "branch_bias")},
      {"swiglu_mlp",
       [](auto& n, auto& v, C& c) {
         if (flag(n, v) && c.layout.value("mlp", "plain") == "plain") c.layout["mlp"] = "swiglu";
       }},
      {"scale_mlp",
       [](auto& n, auto& v, C& c) {
         if (!flag(n, v)) return;
         if (c.layout.value("mlp", "plain") == "plain")
           refuse(
               ErrorCode::UnsupportedFile, n,
               tr("a norm in an MLP without gates is not supported; this model cannot be opened"));
         c.layout["mlp"] = "swiglu_norm";
       }},
      {"swiglu_align_to",
       [](auto& n, auto& v, C& c) {
         if (whole(n, v) > 0 && c.layout.value("mlp", "plain") == "swiglu")
           c.layout["mlp"] = "swiglu_apart";
       }},
      {"qkv_fused", intoFlag(true, "apart", /*inverted=*/true)},
      {"scale_attn_inner", intoFlag(true, "inner_norm")},
      {"use_rel_pos_bias", intoFlag(true, "relative_positions")},
      {"use_rot_pos_emb",
       [](auto& n, auto& v, C& c) {
         if (!flag(n, v))
           c.attention["rotary"] = "none";
         else if (c.attention.value("rotary", "none") == "none")
           c.attention["rotary"] = "axial";
       }},
      {"rope_type",
       [](auto& n, auto& v, C& c) {
         c.attention["rotary"] =
             v.is_null()
                 ? "axial"
                 : oneOf(n, v, {{"cat", "axial"}, {"mixed", "mixed"}, {"dinov3", "dinov3"}});
       }},
      {"rope_rotate_half",
       [](auto& n, auto& v, C& c) {
         if (flag(n, v) != (c.attention.value("rotary", "none") == "dinov3"))
           refuse(
               ErrorCode::UnsupportedFile, n,
               v.dump() + tr(" is not supported with this rope_type; this model cannot be opened"));
       }},
      {"rope_temperature",
       [](auto& n, auto& v, C& c) { c.attention["rotary_temperature"] = number(n, v); }},
      {"ref_feat_shape",
       [](auto& n, auto& v, C& c) {
         c.attention["rotary_reference"] = v.is_null() ? Json::array() : Json(wholes(n, v));
       }},
  };
  return all;
}

/// What changes nothing here, whatever its value: training alone, or how an image's size is taken.
bool isPassedOver(const std::string& name) {
  static const std::unordered_set<std::string> names{
      "drop_rate",       "pos_drop_rate", "patch_drop_rate", "proj_drop_rate", "attn_drop_rate",
      "drop_path_rate",  "weight_init",   "head_init_scale", "fix_init",       "dynamic_img_size",
      "dynamic_img_pad", "features_only", "strict_img_size"};
  return names.contains(name);
}

/// What is known here in one value only, timm's own default.
bool isAsUsual(const std::string& name, const Json& value) {
  static const std::map<std::string, Json> usual{{"in_chans", 3},
                                                 {"qk_norm", false},
                                                 {"gated_attn", false},
                                                 {"use_shared_rel_pos_bias", false}};
  // Patches of one channel see the brightness of a color image (spreadGrayPatches).
  if (name == "in_chans" && value == 1) return true;
  const auto found = usual.find(name);
  return found != usual.end() && (found->second == value || value.is_null());
}

/// Those that what follows is counted from come first.
int rankOf(const std::string& name) {
  if (name == "mlp_ratio" || name == "global_pool" || name == "rope_type" || name == "norm_layer")
    return 0;
  if (name == "scale_mlp" || name == "swiglu_align_to" || name == "final_norm" ||
      name == "act_layer" || name.starts_with("use_post_"))
    return 3;
  return name == "swiglu_mlp" || name == "mlp_layer" ? 2 : 1;
}

}  // namespace

void applyTimmDefaults(TimmClass kind, ModelConfig& config) {
  config.width = 768;
  config.heads = 12;
  if (kind == TimmClass::VisionTransformer) return;
  config.layout["names"] = "beit";
  config.layout["pooling"] = "mean";
  config.layout["pool_norm"] = true;
}

void applyTimmArguments(const Json& arguments, ModelConfig& config) {
  if (!arguments.is_object())
    refuse(ErrorCode::InvalidConfig, "list", tr("must be an object of arguments"));
  for (int rank = 0; rank <= 3; ++rank)
    for (const auto& [name, value] : arguments.items()) {
      if (rankOf(name) != rank || isPassedOver(name)) continue;
      const auto setter = setters().find(name);
      if (setter != setters().end())
        setter->second(name, value, config);
      else if (!isAsUsual(name, value))
        refuse(ErrorCode::UnsupportedFile, name,
               value.dump() + tr(" is not supported; this model cannot be opened"));
    }
}

}  // namespace headlight
