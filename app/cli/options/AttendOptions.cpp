// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/AttendOptions.h"

#include "app/cli/terminal/Command.h"

namespace headlight::cli {

void AttendOptions::declare(CLI::App& command) {
  command
      .add_option("images", images,
                  "Pictures, or folders of them; or, without a model, a file of maps "
                  "(attention.L), all of it or one picture: FILE[2]")
      ->type_name("FILE");
  command
      .add_option("--tensor", tensor,
                  "Instead of pictures: a safetensors file with `input` [B,3,H,W], "
                  "normalised; needs --output")
      ->type_name("FILE");
  command
      .add_option("-o,--output", output,
                  "Write `logits`, `attention.L` [B,H,T,T] and `rollout` [B,N] to this "
                  "safetensors file, - for standard output; with --show NAME also `NAME.L` "
                  "[H,rows,cols] at the token, or what another way of looking gives")
      ->type_name("FILE");
  command
      .add_option("-p,--pictures", folder,
                  "Folder for the PNG files; default: the folder attention below the current "
                  "one, or none where --output is given")
      ->type_name("FOLDER");
  command.add_flag("--json", json, "The result as one JSON object");
  declareLooks(command);
  model.declare(command);
}

void AttendOptions::declareLooks(CLI::App& command) {
  const char* group = "Maps";
  const auto text = [&](const char* flag, std::string& target, const char* help) {
    command.add_option(flag, target, help)->type_name("TEXT")->group(group);
  };
  text("--query", queryText,
       "The token that looks: class, distillation, a patch index, or row,column; default: class, "
       "or the middle patch where there is no class token");
  text("--show", show,
       "attention; relevance, attention-gradient or grad-cam of a class; similarity with --query; "
       "features as colours, of all pictures together; depth; faithfulness of heatmaps; or by its "
       "name what the mechanism has learned for every picture alike, or a picture that it alone "
       "has (another name lists them; what is of the weights alone needs no pictures); default "
       "attention");
  text("--class", classText,
       "With --show of a class: its index or name; default: the one that is predicted");
  text("--format", format,
       "With --show of a picture that the mechanism alone has: png, svg or pdf; default png");
  command
      .add_flag("--foreground", foreground, "With --show features: colours of the foreground alone")
      ->group(group);
  command
      .add_option("--layer", layer,
                  "Also single overlays of this layer's heads, from 0; with --show of another way "
                  "of looking that layer, default: the last; of a mechanism's own picture it alone")
      ->type_name("INT")
      ->group(group);
  command
      .add_option("--head", head,
                  "Also single overlays of this head in every layer, or in --layer, from 0")
      ->type_name("INT")
      ->group(group);
  rolloutFlags.declare(command, rollout, group);
  styleOptions.declare(command, style, group);
  command.add_flag("--shared-scale", style.sharedScale, "One colour scale for all heads")
      ->group(group);
  command.add_option("--tile", style.tile, "Pixels of a tile of the grid; default 112")
      ->type_name("INT")
      ->check(CLI::Range(16, 1024).description(""))
      ->group(group);
}

void AttendOptions::apply() {
  rolloutFlags.apply(rollout);
  styleOptions.apply(style);
}

}  // namespace headlight::cli
