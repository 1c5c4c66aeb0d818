// SPDX-License-Identifier: MIT
#pragma once
// The heddle program: one source file for each command. It holds the command's options, their flags and what it does;
// its function here adds it to the command line.

namespace heddle::tools {

class Commands;

void add_as(Commands& commands);
void add_dis(Commands& commands);
void add_diff(Commands& commands);
void add_dump(Commands& commands);
void add_val(Commands& commands);
void add_compile(Commands& commands);
void add_explain(Commands& commands);
void add_info(Commands& commands);
void add_gather(Commands& commands);
void add_sample(Commands& commands);
void add_unorm(Commands& commands);
void add_footprint(Commands& commands);
void add_batch(Commands& commands);
void add_judge(Commands& commands);
void add_state(Commands& commands);
void add_run(Commands& commands);
void add_explore(Commands& commands);
void add_vulkan(Commands& commands);
void add_golden(Commands& commands);
void add_help(Commands& commands);
void add_completion(Commands& commands);
void add_version(Commands& commands);

}  // namespace heddle::tools
