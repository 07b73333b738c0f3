// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What intervene found, for people and as JSON.

#include "app/cli/terminal/Terminal.h"
#include "core/workbench/interventions/HeadComposition.h"
#include "core/workbench/interventions/Interventions.h"
#include "core/workbench/interventions/LogitAttribution.h"
#include "core/workbench/interventions/OutlierTokens.h"
#include "core/workbench/interventions/Registers.h"

namespace headlight::cli {

void printSweep(const InterventionSweep& sweep, Terminal& terminal);
Json sweepJson(const InterventionSweep& sweep);

void printEffect(const InterventionEffect& effect, const std::vector<Intervention>& parts,
                 Terminal& terminal);
Json effectJson(const InterventionEffect& effect, const std::vector<Intervention>& parts);

void printAttribution(const LogitAttribution& attribution, Terminal& terminal);
Json attributionJson(const LogitAttribution& attribution);

void printComposition(const HeadComposition& composition, CompositionInput input,
                      Terminal& terminal);
Json compositionJson(const HeadComposition& composition);

void printOutliers(const OutlierReport& report, Terminal& terminal);
Json outliersJson(const OutlierReport& report);

void printRegisters(const RegisterReport& report, Terminal& terminal);
Json registersJson(const RegisterReport& report);

}  // namespace headlight::cli
