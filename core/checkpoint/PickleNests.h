// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The dictionaries of tensors inside a pickle. Internal.

#include <string>
#include <vector>

#include "core/checkpoint/Pickle.h"
#include "core/checkpoint/TensorFile.h"

namespace headlight {

struct PickleNests {
  std::vector<TensorNest> nests;
  /// As the nests' names.
  std::vector<std::vector<const PickleValue*>> tensors;
  std::vector<TensorFile::Other> others;
  bool module = false;  ///< tensors were taken out of a module that was saved whole
};

/// Looks into dictionaries, lists and modules (torch.nn.Module saved whole, TorchScript), whose
/// tensors get the names that state_dict() gives them. Throws a Failure where the pickle is none of
/// these, has a name twice, or holds more than can be looked through.
PickleNests findNests(const PickleValue& root, const std::string& where);

}  // namespace headlight
