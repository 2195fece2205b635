import { providers } from "../../../src/llm/providers/mod.ts";
import { testEndpoint, testModel, testRequest } from "../../support/llm_run.ts";
import { testProviderContract } from "../../support/provider_contract.ts";

for (const entry of providers) {
  // Port 9 of the loopback, where nothing listens.
  const endpoint = testEndpoint("http://127.0.0.1:9/v1");
  testProviderContract(entry, endpoint, testRequest({ model: { ...testModel, id: "tour" } }));
}
