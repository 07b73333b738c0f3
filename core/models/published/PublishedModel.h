// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A published model: its name, config and published sizes. No torch type.

#include <string>

#include "core/config/ModelConfig.h"

namespace headlight {

struct PublishedModel {
  std::string name;  ///< "deit_tiny_patch16_224"
  ModelConfig config;
  std::string description = {};
  double publishedParametersM = 0;  ///< millions; 0: none published
  double publishedMacsG = 0;        ///< 10⁹; 0: none published
  std::string source = {};          ///< of the published numbers
  std::string scheme = "none";      ///< the mask scheme that the paper pairs it with
  std::string note = {};            ///< where a published figure can't be met: what was tried
  bool maskedMacs = false;  ///< publishedMacsG counts the hard heads of `scheme` in linear time
};

}  // namespace headlight
