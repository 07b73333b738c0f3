// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One function for each family of transformers' configs. Internal to core/workbench/foreign.

#include <string>
#include <vector>

#include "core/workbench/foreign/ConfigValues.h"
#include "core/workbench/foreign/ForeignModel.h"

namespace headlight {

/// What a family's function reads.
struct TransformersSource {
  const ConfigValues& tower;  ///< of the part that looks at images
  const ConfigValues& whole;
  std::string type;          ///< `model_type` of the tower: "vit_mae"
  std::string architecture;  ///< "ViTForImageClassification"; may be empty
  int labels = 2;            ///< of its classifier, if it has one

  bool classifies() const {
    return architecture.find("ForImageClassification") != std::string::npos;
  }
};

struct TransformersFamily {
  const char* type;     ///< `model_type`
  const char* section;  ///< of the config that describes the tower; "": the whole
  void (*read)(const TransformersSource& source, ForeignModel& model);
};

const std::vector<TransformersFamily>& transformersFamilies();

/// What most have: sizes, heads, epsilon, activation, image and patch. `intermediate`: 0 where the
/// MLP's width is not said so.
void readCommon(const ConfigValues& tower, double epsilon, const char* activation,
                ModelConfig& model);
/// So that a block's hidden width is `hidden`.
void setHidden(int hidden, ModelConfig& model);
std::string activationNamed(const ConfigValues& tower, const char* key,
                            const std::string& otherwise);
void requireColors(const ConfigValues& tower);

void readVit(const TransformersSource& source, ForeignModel& model);
void readBeit(const TransformersSource& source, ForeignModel& model);
void readDinoV2(const TransformersSource& source, ForeignModel& model);
void readDinoV3(const TransformersSource& source, ForeignModel& model);
void readClip(const TransformersSource& source, ForeignModel& model);
void readSiglip(const TransformersSource& source, ForeignModel& model);
void readSwin(const TransformersSource& source, ForeignModel& model);

}  // namespace headlight
