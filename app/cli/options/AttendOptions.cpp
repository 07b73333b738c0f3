// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/AttendOptions.h"

#include "app/cli/options/OldFlags.h"
#include "app/cli/options/ResultFlags.h"
#include "app/cli/terminal/Command.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/workbench/attribution/Explanations.h"

namespace headlight::cli {
namespace {

/// Every explanation, by what it needs.
std::string explanationWords() {
  using Info = ExplanationInfo;
  std::string words;
  const auto add = [&](const std::function<bool(const Info&)>& wanted, const char* how) {
    const std::string names = explanationNames(wanted);
    if (!names.empty()) addTo(words, names + how, "; ");
  };
  add([](const Info& one) { return one.isClassHeatmap(); }, tr(" of a class"));
  add([](const Info& one) { return one.isHeatmap() && !one.ofClass && !one.ofToken; }, "");
  add([](const Info& one) { return one.ofToken; }, tr(" with --query"));
  add([](const Info& one) { return one.kind == ExplanationKind::Colors; },
      tr(" as colors, of all images together"));
  add([](const Info& one) { return one.kind == ExplanationKind::Curve; }, tr(" as curves"));
  return words;
}

}  // namespace

void AttendOptions::declare(CLI::App& command) {
  command
      .add_option("files", images,
                  tr("Images or image folders; or, without a model, a map file (attention.L), "
                     "whole or one image of it: FILE[2]"))
      ->type_name("FILE");
  command
      .add_option("--tensor", tensor,
                  tr("Instead of images: a safetensors file with `input` [B,3,H,W], "
                     "normalized; needs --output"))
      ->type_name("FILE");
  command
      .add_option("-o,--output", output,
                  tr("Write `logits`, `attention.L` [B,H,T,T] and `rollout` [B,N] to this "
                     "safetensors file, - for standard output; with --show NAME also `NAME.L` "
                     "[H,rows,cols] at the token, or the explanation"))
      ->type_name("FILE");
  command
      .add_option(
          "-p,--images", folder,
          tr("Folder for the PNG files; default: ./attention, or none if --output is given"))
      ->type_name("FOLDER");
  acceptOldFlag(command, "--pictures", folder);
  declareJson(command, json);
  declareLooks(command);
  model.declare(command);
}

void AttendOptions::declareLooks(CLI::App& command) {
  const char* group = "Maps";
  const auto text = [&](const char* flag, std::string& target, const std::string& help) {
    command.add_option(flag, target, help)->type_name("TEXT")->group(group);
  };
  text("--query", queryText,
       tr("Query token: class, distillation, a patch index, or row,column; default: class, or the "
          "middle patch if there is no class token. With --show decoder: a query of the decoder"));
  text("--show", show,
       "attention; " + explanationWords() +
           tr("; faithfulness of explanations; decoder: where --query of a segmenter's decoder "
              "looks; or the name of a learned map or a mechanism plot "
              "(an unknown name lists them; plots that depend only on the weights need no images). "
              "Default attention"));
  text("--class", classText,
       tr("Class index or name, for explanations of a class; default: the predicted class"));
  text("--format", format, tr("Format of a mechanism plot: png, svg or pdf; default png"));
  command
      .add_flag("--foreground", foreground,
                "With --show " + explanationOfKind(ExplanationKind::Colors).name +
                    tr(": color only foreground patches (by the first principal component)"))
      ->group(group);
  command
      .add_option(
          "--layer", layer,
          tr("Also write single overlays of this layer's heads, counted from 0. For explanations: "
             "the layer, default the last. For mechanism plots: only this layer"))
      ->type_name("INT")
      ->group(group);
  command
      .add_option("--head", head,
                  tr("Also write single overlays of this head, counted from 0, in every layer or "
                     "in --layer"))
      ->type_name("INT")
      ->group(group);
  command
      .add_option("--truth", truth,
                  tr("For explanations that mark an object: the true boxes of these images, COCO's "
                     "folder or annotations, or Pascal VOC's folder; adds their IoU with the box"))
      ->type_name("PATH")
      ->group(group);
  command
      .add_option("--box", box,
                  tr("For explanations of a class: explain this box of a detector, counted from 0 "
                     "as predict --threshold 0 lists them; --class default: the box's"))
      ->type_name("INT")
      ->group(group);
  command
      .add_option(
          "--decoder-layer", decoderLayer,
          tr("With --show decoder, which it implies: the layer of the decoder, counted from "
             "0; default the last"))
      ->type_name("INT")
      ->group(group);
  rolloutFlags.declare(command, rollout, group);
  styleOptions.declare(command, style, group);
  command.add_flag("--shared-scale", style.sharedScale, tr("Use one color scale for all heads"))
      ->group(group);
  command
      .add_flag("--mask-outline", style.maskOutline,
                tr("Outline what each head's mask lets the query look at"))
      ->group(group);
  command.add_option("--tile", style.tile, tr("Tile size of the grid in pixels; default 112"))
      ->type_name("INT")
      ->check(CLI::Range(16, 1024).description(""))
      ->group(group);
}

void AttendOptions::apply() {
  rolloutFlags.apply(rollout);
  styleOptions.apply(style);
  if (decoderLayer && show == "attention") show = "decoder";
}

}  // namespace headlight::cli
