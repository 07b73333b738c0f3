// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Published model names and what they mean. No torch type: the window lists it too.

#include <string>
#include <vector>

#include "core/attention/base/Cost.h"
#include "core/config/Catalog.h"
#include "core/config/Experiment.h"
#include "core/models/published/PublishedModel.h"

namespace headlight {

const std::vector<PublishedModel>& publishedModels();
/// By name or short alias ("deit_tiny" for "deit_tiny_patch16_224").
const PublishedModel* findPublishedModel(const std::string& name);
/// What configs may name: published models, backbones, mechanisms and their options.
const ModelCatalog& modelCatalog();
/// modelParameters() with the names of backbones and mechanisms as choices, for forms and help.
const ParameterTable& modelTable();
/// A config built by hand, checked as one that is read, with every option written out. Throws
/// Failure.
ModelConfig checkedAndCompleted(const ModelConfig& given);
/// The heads of every layer and which layers can be masked.
MaskShape makeMaskShape(const ModelConfig& config);
/// What the model's backbone says of an image; of an unknown one: its class.
Task taskOf(const ModelConfig& model);
/// Whether processes that train it together have batch norms of their own, as recipes of detectors
/// and segmenters have it; those of all others are of the whole batch.
bool normsApart(const ModelConfig& model);

/// Whether two configs describe the same model: equal but for the name, however much of their
/// defaults either spells out.
bool sameModel(const ModelConfig& a, const ModelConfig& b);
/// Whether weights of one are weights of the other. Beyond sameModel, these may differ: the
/// image's size and how it is prepared, the classes, and what only training knows (drop path, how
/// weights and LayerScale start).
bool sameArchitecture(const ModelConfig& a, const ModelConfig& b);

/// Counted from the config alone: nothing is allocated. Throws Failure for an unknown backbone or
/// mechanism.
ModelCost modelCost(const ModelConfig& config);
/// The same with the products of hard, strict and random heads in linear time, R² keys a row
/// instead of all (MaiT, Table 1), in the layers whose kernels do so. Throws Failure for a scheme
/// of another shape.
ModelCost modelCost(const ModelConfig& config, const MaskScheme& scheme);
/// The same with the masks of a config. Wherever a program tells what a model costs it is this or
/// the one above, with the masks in force.
ModelCost modelCost(const ModelConfig& config, const MaskConfig& masks);
/// Counted as the model's published figure is, to be compared with it: with its scheme where
/// `maskedMacs`.
ModelCost publishedCost(const PublishedModel& model);

}  // namespace headlight
