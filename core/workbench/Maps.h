#pragma once
// Attention maps and their analysis, for programs.

#include "core/analysis/AttentionMaps.h"
