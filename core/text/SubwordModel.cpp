// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/SubwordModel.h"

#include "core/base/Translation.h"
#include "core/text/Characters.h"

namespace headlight {

std::int64_t tokenNumber(const Json& json, const std::string& where) {
  if (!json.is_number_integer() || json < 0 || json > kLargestToken)
    failTokenizer(
        tr("a token's number must be a whole number from 0 to ") + std::to_string(kLargestToken),
        where);
  return json.get<std::int64_t>();
}

void failUnknown(std::string_view character) {
  throw Failure({ErrorCode::InvalidArgument,
                 "\"" + std::string(character) +
                     tr("\" is not in the tokenizer's vocabulary, which has no token for unknown "
                        "characters; leave it out"),
                 ""});
}

std::unique_ptr<SubwordModel> makeSubwordModel(const Json& json, const std::string& where) {
  std::string type = tokenizerText(json, "type", where);
  // Older files do not say it.
  if (type.empty() && json.is_object()) type = json.contains("merges") ? "BPE" : "Unigram";
  if (type == "BPE") return makeBytePairs(json, where);
  if (type == "Unigram") return makeUnigram(json, where);
  refuseTokenizer("a model of the kind " + (type.empty() ? "?" : type), where);
}

}  // namespace headlight
