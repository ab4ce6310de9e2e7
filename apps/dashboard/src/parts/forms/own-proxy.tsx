import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type Product, products } from '@turnpike/contract/bandwidth';
import { useState } from 'react';
import { useGet } from '../../api/queries.ts';
import { post } from '../../api/request.ts';
import { Problem } from '../states.tsx';
import { productNames } from '../values/figures.ts';

/** The service's own metered proxy, for those who have no other at hand. */
export function OwnProxy({ onFill }: { onFill: (url: string) => void }) {
  const keys = useGet('/keys');
  const [product, setProduct] = useState<Product>('residential');
  const [country, setCountry] = useState('');
  const url = keys.data?.proxy.url;
  const reveal = useMutation({
    mutationFn: () => post('/keys/proxy/reveal'),
    onSuccess: ({ proxyUser, proxyPassword }) => {
      if (!url) return;
      const user = [proxyUser, 'product', product, ...(country ? ['country', country.toLowerCase()] : [])];
      onFill(url.replace('://', `://${user.join('-')}:${proxyPassword}@`));
    },
  });
  if (!url) return null;
  return (
    <fieldset className="own-proxy">
      <legend>Or your Turnpike proxy</legend>
      <div className="filters">
        <NativeSelect
          label="Product"
          data={products.map((value) => ({ value, label: productNames[value] }))}
          value={product}
          onChange={(event) => setProduct(event.currentTarget.value as Product)}
        />
        <TextInput
          label="Country"
          placeholder="any"
          maxLength={2}
          value={country}
          onChange={(event) => setCountry(event.currentTarget.value.trim())}
        />
        <Button variant="default" loading={reveal.isPending} onClick={() => reveal.mutate()}>
          Fill in
        </Button>
      </div>
      {reveal.error && <Problem error={reveal.error} />}
    </fieldset>
  );
}
