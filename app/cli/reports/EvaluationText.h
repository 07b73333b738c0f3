// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What an evaluation measured, and what dropping the branch changes of it, as commands tell them.

#include <string>

#include "app/cli/terminal/Terminal.h"
#include "core/workbench/evaluation/BranchReport.h"

namespace headlight::cli {

Json evaluationJson(const EvaluationResult& result);
/// "18 images  loss 0.1234  top-1 50.00 %  top-5 90.00 %  123.4 images/s"
std::string evaluationText(const EvaluationResult& result);

/// How the classes of data and model are matched (ClassMatch::text), of text; nothing where that is
/// empty. In JSON "class_match" says it.
void sayClassMatch(const std::string& text, Terminal& terminal);
Json classMatchJson(const std::string& text);

Json branchReportJson(const BranchReport& report);
/// Both evaluations, a line a layer, and the verdict.
void printBranchReport(const BranchReport& report, Terminal& terminal);

}  // namespace headlight::cli
